#include "report/code_pieces.h"

#include <stdlib.h>
#include <string.h>

#include "attribution/recorded/recorded_object.h"
#include "base/count_before.h"
#include "symbols/name_parts.h"

enum { MOST_FRAMES = 64, CHAIN_BYTES = 400 };

struct search {
  const struct report_model *model;
  const struct subject_functions *functions;
  struct code *code;
  struct symbol_file **files; /* by object; null: not opened, or without its code */
  bool *tried;                /* by object */
  bool *member;               /* by function */
};

/* ---- objects ---- */

/* The object as it was recorded; null where it is gone or another one by now. */
static struct symbol_file *file_of(struct search *search, uint32_t object) {
  struct error *error = &search->code->error;
  if (object == NOTHING) {
    error_set(error, "code outside of files (of a just-in-time compiler) is not kept");
    return NULL;
  }
  if (search->tried[object]) return search->files[object];
  search->tried[object] = true;
  recorded_object_file(search->code->symbols, &search->model->profile->objects[object],
                       &search->files[object], error);
  return search->files[object];
}

/* ---- pieces ---- */

static struct code_piece *piece_at(struct search *search, uint32_t object,
                                   const struct symbol *symbol) {
  struct code *code = search->code;
  for (size_t i = 0; i < code->count; i++)
    if (code->pieces[i].object == object && code->pieces[i].symbol.address == symbol->address)
      return &code->pieces[i];
  ARRAY_GROW(code->pieces, code->count);
  struct code_piece *piece = &code->pieces[code->count++];
  *piece = (struct code_piece){.object = object, .file = search->files[object], .symbol = *symbol};
  return piece;
}

static void find_by_ticks(struct search *search) {
  const struct profile *profile = search->model->profile;
  const struct profile_metric *metric = profile_metric(profile);
  for (size_t i = 0; i < metric->instruction_count; i++) {
    const struct profile_instruction *met = &metric->instructions[i];
    if (!search->member[profile->lines[met->line].function]) continue;
    struct symbol_file *file = file_of(search, met->object);
    struct symbol symbol;
    if (!file || symbol_file_function(file, symbol_file_address(file, met->offset), &symbol) != 0)
      continue;
    struct code_piece *piece = piece_at(search, met->object, &symbol);
    piece->own = amount_sum(piece->own, met->self);
  }
}

/* Not another function of the same name, which objects may hold several of. */
static bool is_defined_there(const struct profile_function *function, const struct symbol *symbol) {
  if (!function->file || !symbol->file) return true;
  return function->line == symbol->line && strcmp(function->file, symbol->file) == 0;
}

static void find_by_name(struct search *search) {
  const struct profile *profile = search->model->profile;
  for (size_t i = 0; i < search->functions->count; i++) {
    const struct profile_function *function = &profile->functions[search->functions->ids[i]];
    struct symbol_file *file = file_of(search, function->object);
    struct symbol symbol;
    for (size_t at = 0; file && function->linkage &&
                        symbol_file_named(file, function->linkage, &at, &symbol) == 0;)
      if (is_defined_there(function, &symbol)) piece_at(search, function->object, &symbol);
  }
}

static int more_own_first(const void *left, const void *right) {
  const struct code_piece *a = left, *b = right;
  if (a->own.raw_ns != b->own.raw_ns) return a->own.raw_ns > b->own.raw_ns ? -1 : 1;
  if (a->self.raw_ns != b->self.raw_ns) return a->self.raw_ns > b->self.raw_ns ? -1 : 1;
  return (a->symbol.address > b->symbol.address) - (a->symbol.address < b->symbol.address);
}

/* ---- rows ---- */

static struct code_row *row_at(const struct code_piece *piece, uint64_t address) {
  size_t low =
      COUNT_BEFORE(piece->disassembly.count, i, piece->disassembly.list[i].address <= address);
  return low ? &piece->rows[low - 1] : NULL;
}

static void add_ticks(const struct profile *profile, struct code_piece *piece) {
  const struct profile_metric *metric = profile_metric(profile);
  for (size_t i = 0; i < metric->instruction_count; i++) {
    const struct profile_instruction *met = &metric->instructions[i];
    if (met->object != piece->object) continue;
    uint64_t address = symbol_file_address(piece->file, met->offset);
    if (address < piece->symbol.address || address - piece->symbol.address >= piece->symbol.size)
      continue;
    struct code_row *row = row_at(piece, address);
    if (!row) continue;
    row->self = amount_sum(row->self, met->self);
    piece->self = amount_sum(piece->self, met->self);
  }
}

static bool is_asked_for(const struct search *search, const char *name) {
  const struct profile_function *functions = search->model->profile->functions;
  for (size_t i = 0; i < search->functions->count; i++)
    if (strcmp(functions[search->functions->ids[i]].name, name) == 0) return true;
  return false;
}

static void describe_row(const struct search *search, struct code_piece *piece, size_t index,
                         struct symbol_frame *frames) {
  struct code_row *row = &piece->rows[index];
  size_t count =
      symbol_file_frames(piece->file, piece->disassembly.list[index].address, frames, MOST_FRAMES);
  char chain[CHAIN_BYTES] = "";
  for (size_t i = 0; i < count; i++) {
    size_t used = strlen(chain);
    if (is_asked_for(search, frames[i].symbol.name)) row->asked_for = true;
    if (i > 1 && used + 4 < sizeof chain) used = stpcpy(chain + used, " > ") - chain;
    if (i > 0) name_brief(frames[i].symbol.name, chain + used, sizeof chain - used);
  }
  row->inlined = arena_text(&piece->disassembly.arena, chain, strlen(chain));
  if (!count) return;
  row->file = frames[count - 1].position.file;
  row->line = frames[count - 1].position.line;
}

static int fill_piece(struct search *search, struct code_piece *piece) {
  static _Thread_local struct symbol_frame frames[MOST_FRAMES];
  if (symbol_file_disassemble(piece->file, piece->symbol.address, piece->symbol.size,
                              &piece->disassembly) != 0)
    return error_set(&search->code->error, "%s has no code of %s",
                     search->model->profile->objects[piece->object].path, piece->symbol.name);
  piece->rows = memory_zeroed(piece->disassembly.count, sizeof *piece->rows);
  for (size_t i = 0; i < piece->disassembly.count; i++)
    describe_row(search, piece, i, frames);
  add_ticks(search->model->profile, piece);
  return 0;
}

void code_make(const struct report_model *model, const struct subject_functions *functions,
               struct code *code) {
  const struct profile *profile = model->profile;
  *code = (struct code){.symbols = symbols_create()};
  struct search search = {.model = model, .functions = functions, .code = code};
  search.files = memory_zeroed(profile->object_count, sizeof *search.files);
  search.tried = memory_zeroed(profile->object_count, sizeof *search.tried);
  search.member = memory_zeroed(profile->function_count, sizeof *search.member);
  for (size_t i = 0; i < functions->count; i++)
    search.member[functions->ids[i]] = true;
  find_by_ticks(&search);
  find_by_name(&search);
  for (size_t i = 0; i < code->count; i++)
    if (fill_piece(&search, &code->pieces[i]) != 0) break;
  if (code->count) qsort(code->pieces, code->count, sizeof *code->pieces, more_own_first);
  free(search.files);
  free(search.tried);
  free(search.member);
}

void code_free(struct code *code) {
  for (size_t i = 0; i < code->count; i++) {
    disassembly_free(&code->pieces[i].disassembly);
    free(code->pieces[i].rows);
  }
  free(code->pieces);
  symbols_free(code->symbols);
  *code = (struct code){0};
}
