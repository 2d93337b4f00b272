/* Disassembly of functions, and of the functions that they are inlined into. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/code_page.h"
#include "report/columns.h"

enum { MOST_PIECES = 4, MOST_FUNCTIONS = 4 /* of one name */ };

/* ---- the head ---- */

static void print_share(const struct listing *listing, const char *name, struct amount amount,
                        const char *what) {
  char text[QUANTITY_ESTIMATE_BYTES];
  struct estimate estimate = model_estimate(listing->model, amount);
  fprintf(listing->out, "%-11s%s, %.1f %% of the %s%s\n", name,
          quantity_estimate_text(model_unit(listing->model), estimate, text),
          text_share(estimate.ns, books_whole_ns(&listing->model->books)),
          model_share(listing->model), what);
}

static void print_symbol(const struct listing *listing, const struct symbol *symbol) {
  char range[64];
  int length = snprintf(range, sizeof range, ", 0x%" PRIx64 "-0x%" PRIx64, symbol->address,
                        symbol->address + symbol->size);
  fputs("symbol     ", listing->out);
  text_name(listing->out, symbol->linkage,
            listing_name_width(listing, strlen("symbol     ") + (size_t)length));
  fprintf(listing->out, "%s\n", range);
}

/* `name` is that of the function that was asked for. */
static void print_head(const struct listing *listing, const struct code_piece *piece,
                       const char *name) {
  bool is_function = strcmp(piece->symbol.name, name) == 0;
  const struct profile_object *object = &listing->model->profile->objects[piece->object];
  listing_title_of(listing, "Code of ", piece->symbol.name);
  fputs("object     ", listing->out);
  listing_path(listing, object->path, 0);
  fputs(*object->build_id
            ? ", as recorded (same build-id)\n"
            : ", which has no build-id: it may differ from the one that was recorded\n",
        listing->out);
  print_symbol(listing, &piece->symbol);
  print_share(listing, "self", piece->self, ", with what is inlined here");
  if (is_function && piece->own.raw_ns != piece->self.raw_ns)
    print_share(listing, "", piece->own, " without that");
  if (!is_function)
    print_share(listing, "", piece->own, " in the requested function, inlined here");
}

/* ---- everything ---- */

static bool any_ticks(const struct code *code) {
  for (size_t i = 0; i < code->count; i++)
    if (code->pieces[i].self.raw_ns) return true;
  return false;
}

/* Name the pieces that were not shown. */
static void print_others(const struct listing *listing, const struct code *code,
                         const bool *shown) {
  enum { MOST_NAMES = 8 };
  size_t others = 0;
  for (size_t i = 0; i < code->count; i++) {
    if (shown[i] || !code->pieces[i].rows || others++ >= MOST_NAMES) continue;
    fprintf(listing->out, "%salso in %s (%s)\n", others == 1 ? "\n" : "",
            code->pieces[i].symbol.linkage,
            code->pieces[i].self.raw_ns ? "--limit all" : "no ticks there: --all");
  }
  if (others > MOST_NAMES) fprintf(listing->out, "and in %zu more\n", others - MOST_NAMES);
}

/* Returns how many pieces were shown; an error that was printed counts, too. */
static size_t print_code(const struct listing *listing, const struct subject_functions *functions,
                         struct source_cache *sources) {
  struct code code;
  size_t limit = listing->model->options->limit ? listing->model->options->limit : MOST_PIECES,
         count = 0;
  const char *name = listing->model->profile->functions[functions->ids[0]].name;
  code_make(listing->model, functions, &code);
  bool *shown = memory_zeroed(code.count, sizeof *shown);
  for (size_t i = 0; i < code.count && count < limit; i++) {
    const struct code_piece *piece = &code.pieces[i];
    if (!piece->rows || !(piece->self.raw_ns || !any_ticks(&code) || listing->model->options->all))
      continue;
    print_head(listing, piece, name);
    code_page_print(listing, piece, sources);
    shown[i] = true;
    count++;
  }
  print_others(listing, &code, shown);
  if (code.error.text[0]) fprintf(listing->out, "\n%s\n", code.error.text);
  count += code.error.text[0] != '\0';
  free(shown);
  code_free(&code);
  return count;
}

void listing_asm(const struct listing *listing) {
  const struct subject *subject = listing->model->options->assembly;
  struct source_cache sources;
  size_t limit = listing->model->options->limit ? listing->model->options->limit : MOST_FUNCTIONS,
         shown = 0;
  source_cache_open(&sources, listing->model->profile, listing->model->options->profile_path);
  const struct subject_functions **order = subject_order(subject, listing->model->costs);
  for (size_t i = 0; i < subject->group_count && i < limit; i++)
    shown += print_code(listing, order[i], &sources);
  if (subject->group_count > limit)
    fprintf(listing->out, "\n%zu more functions of that name (--limit all)\n",
            subject->group_count - limit);
  if (!shown)
    fprintf(listing->out, "\n%s: no ticks fell on its instructions, and no symbol has its name\n",
            listing->model->profile->functions[order[0]->ids[0]].name);
  free(order);
  source_cache_close(&sources);
}
