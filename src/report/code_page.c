#include "report/code_page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_name.h"
#include "base/count_before.h"
#include "report/arrows.h"
#include "report/columns.h"

enum {
  SHORT_ENOUGH = 60, /* instructions that are shown without leaving any out */
  CONTEXT = 6,       /* instructions around those that matter */
  SHORTEST_GAP = 4,  /* instructions that are worth leaving out */
  HOT_PART = 200,    /* an instruction matters from this part of its piece on: 0.5 % */
  TEXT_COLUMNS = 40,
  TEXT_COLUMNS_NARROW = 28,
  ROOMY = 120, /* terminals from this width on */
  PLACE_BYTES = 512,
  LEAST_TEXT = 12, /* columns of source, and of an instruction */
  TICKS_WIDTH = 9
};

struct page {
  const struct listing *listing;
  const struct code_piece *piece;
  struct arrows arrows;
  struct source_cache *sources;
  int address_digits;
  size_t last_shown; /* row; SIZE_MAX: none yet */
};

/* ---- which rows ---- */

static bool matters(const struct page *page, size_t row) {
  const struct code_piece *piece = page->piece;
  const struct code_row *at = &piece->rows[row];
  return at->asked_for && at->self.raw_ns > piece->self.raw_ns / HOT_PART;
}

static bool is_shown(const struct page *page, size_t row) {
  size_t count = page->piece->disassembly.count;
  if (page->listing->model->options->all || count <= SHORT_ENOUGH) return true;
  if (!page->piece->self.raw_ns) return row < SHORT_ENOUGH;
  for (size_t near = row > CONTEXT ? row - CONTEXT : 0; near <= row + CONTEXT && near < count;
       near++)
    if (matters(page, near)) return true;
  return false;
}

/* ---- arrows ---- */

static size_t row_of(const struct disassembly *code, uint64_t address) {
  size_t low = COUNT_BEFORE(code->count, i, code->list[i].address < address);
  return low < code->count && code->list[low].address == address ? low : SIZE_MAX;
}

static void make_arrows(struct page *page) {
  const struct disassembly *code = &page->piece->disassembly;
  struct jump *jumps = memory_zeroed(code->count, sizeof *jumps);
  size_t count = 0;
  for (size_t i = 0; i < code->count; i++) {
    if (!code->list[i].jumps || !code->list[i].target) continue;
    size_t to = row_of(code, code->list[i].target);
    if (to != SIZE_MAX) jumps[count++] = (struct jump){i, to};
  }
  arrows_make(jumps, count, &page->arrows);
}

/* ---- columns ---- */

static int ticks_width(const struct listing *listing) {
  return listing->columns.room_for_ticks ? TICKS_WIDTH : 0;
}

static int figures_width(const struct listing *listing) {
  return SHARE_WIDTH + column_width(listing) + ticks_width(listing);
}

static void print_figures(const struct listing *listing, struct amount amount) {
  struct estimate self = model_estimate(listing->model, amount);
  if (!amount.raw_ns) {
    fprintf(listing->out, "%*s", figures_width(listing), "");
    return;
  }
  text_percent(listing->out, self.ns, books_whole_ns(&listing->model->books), SHARE_WIDTH);
  column_estimate(listing, self);
  if (listing->columns.room_for_ticks)
    fprintf(listing->out, "%*" PRIu64, TICKS_WIDTH, amount.ticks);
}

/* True if a row's source is that of the row above it. */
static bool same_source(const struct page *page, size_t row) {
  const struct code_row *at = &page->piece->rows[row], *above = at - 1;
  return row && page->last_shown == row - 1 && above->line == at->line && above->file == at->file &&
         strcmp(above->inlined, at->inlined) == 0;
}

/* Columns before the instruction. */
static int margin_width(const struct page *page) {
  return figures_width(page->listing) + 2 + page->address_digits + 1 + (int)page->arrows.lanes + 3;
}

/* Columns of an instruction: fewer where a place would have no room behind them. */
static int text_columns(const struct page *page) {
  int width = (int)page->listing->terminal.width;
  if (!width || width >= ROOMY) return TEXT_COLUMNS;
  int left = width - margin_width(page) - 2 - LEAST_TEXT;
  if (left > TEXT_COLUMNS_NARROW) return TEXT_COLUMNS_NARROW;
  return left > LEAST_TEXT ? left : LEAST_TEXT;
}

/* "FILE:LINE [FUNCTION > FUNCTION]" in at most `room` columns (0: no limit): without the functions
 * where they have none.  Returns how many it took. */
static size_t print_place(const struct listing *listing, const struct code_row *at, size_t room) {
  enum { LEAST_CHAIN = 12 };
  char place[PLACE_BYTES];
  snprintf(place, sizeof place, "%s:%" PRIu32, base_name(at->file), at->line);
  text_name(listing->out, place, room);
  size_t used = strlen(place), chain = strlen(at->inlined);
  if (room && used > room) used = room;
  if (room && used + 3 + chain > room) chain = room > used + 3 ? room - used - 3 : 0;
  if (!*at->inlined || (chain < strlen(at->inlined) && chain < LEAST_CHAIN)) return used;
  fputs(" [", listing->out);
  text_name(listing->out, at->inlined, room ? chain : 0);
  fputs("]", listing->out);
  return used + 3 + chain;
}

/* Behind the instruction; 0: no limit. */
static size_t room_for_source(const struct page *page) {
  size_t used = (size_t)margin_width(page) + (size_t)text_columns(page) + 2;
  size_t width = page->listing->terminal.width;
  if (!width) return 0;
  return width > used + LEAST_TEXT ? width - used : LEAST_TEXT;
}

/* The place, and the line's text where there is room. */
static void print_source(const struct page *page, size_t row) {
  enum { LONGEST_PLACE = 48 };
  const struct listing *listing = page->listing;
  const struct code_row *at = &page->piece->rows[row];
  size_t width = listing->terminal.width, room = room_for_source(page);
  fputs("  ", listing->out);
  size_t place =
      print_place(listing, at, width ? (room > LONGEST_PLACE ? LONGEST_PLACE : room) : 0);
  const char *text = source_cache_line(page->sources, at->file, at->line);
  if (!text || (width && room < place + 2 + LEAST_TEXT)) return;
  fputs("  ", listing->out);
  text_source(listing->out, text + strspn(text, " \t"), width ? room - place - 2 : 0);
}

/* The instruction, and beside it the source where that is another one than above. */
static void print_text(const struct page *page, size_t row) {
  const struct listing *listing = page->listing;
  const struct code_row *at = &page->piece->rows[row];
  const char *text = page->piece->disassembly.list[row].text;
  int length = (int)strlen(text), columns = text_columns(page);
  text_name(listing->out, text, listing->terminal.width ? columns : 0);
  if (!at->file || !at->line || same_source(page, row)) return;
  if (length < columns) fprintf(listing->out, "%*s", columns - length, "");
  print_source(page, row);
}

static void print_row(struct page *page, size_t row) {
  const struct listing *listing = page->listing;
  const struct code_row *at = &page->piece->rows[row];
  char margin[ARROW_BYTES];
  listing_heat(listing, page->piece->self, at->self, (struct amount){0});
  print_figures(listing, at->self);
  fprintf(listing->out, "  %*" PRIx64 " %s ", page->address_digits,
          page->piece->disassembly.list[row].address,
          arrows_row(&page->arrows, row, false, margin));
  print_text(page, row);
  listing_plain(listing);
  fputc('\n', listing->out);
  page->last_shown = row;
}

static void print_gap(struct page *page, size_t from, size_t to) {
  const struct listing *listing = page->listing;
  struct amount sum = {0};
  char margin[ARROW_BYTES];
  for (size_t row = from; row < to; row++)
    sum = amount_sum(sum, page->piece->rows[row].self);
  listing_dim(listing);
  print_figures(listing, sum);
  fprintf(listing->out, "  %*s %s %zu instructions\n", page->address_digits, "...",
          arrows_row(&page->arrows, to, true, margin), to - from);
  listing_plain(listing);
}

static void print_left_out(struct page *page, size_t from, size_t to) {
  if (to - from >= SHORTEST_GAP) print_gap(page, from, to);
  for (size_t row = from; to - from < SHORTEST_GAP && row < to; row++)
    print_row(page, row);
}

static void print_rows(struct page *page) {
  size_t left_out = 0, count = page->piece->disassembly.count;
  for (size_t row = 0; row < count; row++) {
    if (!is_shown(page, row)) {
      left_out++;
      continue;
    }
    if (left_out) print_left_out(page, row - left_out, row);
    left_out = 0;
    print_row(page, row);
  }
  if (left_out) print_left_out(page, count - left_out, count);
}

static void print_columns(const struct page *page) {
  const struct listing *listing = page->listing;
  listing_dim(listing);
  fprintf(listing->out, "%*s", SHARE_WIDTH, "%");
  column_heading(listing, "self");
  fprintf(listing->out, "%*s  %*s %*s %-*s  ", ticks_width(listing),
          ticks_width(listing) ? "ticks" : "", page->address_digits, "at",
          (int)page->arrows.lanes + 2, "", text_columns(page), "instruction");
  text_start(listing->out, "source [inlined calls]", room_for_source(page));
  fputc('\n', listing->out);
  fprintf(listing->out, "%*s", SHARE_WIDTH, model_share(listing->model));
  column_units(listing);
  fputc('\n', listing->out);
  listing_plain(listing);
}

void code_page_print(const struct listing *listing, const struct code_piece *piece,
                     struct source_cache *sources) {
  struct page page = {
      .listing = listing, .piece = piece, .sources = sources, .last_shown = SIZE_MAX};
  page.address_digits = snprintf(NULL, 0, "%" PRIx64, piece->symbol.address + piece->symbol.size);
  make_arrows(&page);
  print_columns(&page);
  print_rows(&page);
  arrows_free(&page.arrows);
}
