/* Lines of source by what they cost. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_name.h"
#include "report/columns.h"

enum {
  LISTED_LINES = 40,
  LONGEST_PLACE = 44,
  SHORTEST_PLACE = 16,
  LEAST_NAME = 18,
  PLACE_BYTES = 4200,
  ROOMY = 120 /* terminals with the paths of files, not only their names */
};

static uint64_t total_of(const struct listing *listing, uint32_t line) {
  const struct costs *costs = listing->model->costs;
  return costs->line_total ? costs->line_total[line].raw_ns : 0;
}

static int descending(uint64_t a, uint64_t b) {
  return a > b ? -1 : a < b;
}

static int compare_places(const struct profile_line *a, const struct profile_line *b) {
  int order = strcmp(a->file ? a->file : "", b->file ? b->file : "");
  return order ? order : (a->line > b->line) - (a->line < b->line);
}

static int in_order(const void *left, const void *right, void *context) {
  const struct listing *listing = context;
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  const struct profile_line *lines = listing->model->profile->lines;
  const struct amount *self = listing->model->costs->line_self;
  int by_self = descending(self[a].raw_ns, self[b].raw_ns);
  int by_total = descending(total_of(listing, a), total_of(listing, b));
  int by_place = compare_places(&lines[a], &lines[b]);
  int order = by_self;
  if (listing->model->options->sort == SORT_TOTAL) order = by_total;
  if (listing->model->options->sort == SORT_NAME) order = by_place;
  if (!order) order = by_self ? by_self : by_total;
  if (!order) order = by_place;
  return order ? order : (a > b) - (a < b);
}

static void print_headings(const struct listing *listing) {
  bool totals = listing->model->costs->line_total;
  listing_title(listing, "Lines");
  listing_dim(listing);
  totals ? column_shares_heading(listing) : (void)fprintf(listing->out, "%6s", "self");
  column_heading(listing, "self");
  if (totals) column_heading(listing, "total");
  if (listing->columns.ticks) fprintf(listing->out, "%9s", "ticks");
  fputs("  line and function\n", listing->out);
  totals ? column_shares_units(listing) : (void)fprintf(listing->out, "%6s", "%");
  column_units(listing);
  if (totals) column_units(listing);
  fputc('\n', listing->out);
  listing_plain(listing);
}

/* Where there is little room a path is the file's name. */
static const char *place(const struct listing *listing, const struct profile_line *line,
                         char text[PLACE_BYTES]) {
  if (!line->file || !line->line) return "(line not known)";
  const char *path = model_relative(listing->model, line->file);
  unsigned width = listing->terminal.width;
  if (width && width < ROOMY) path = base_name(path);
  snprintf(text, PLACE_BYTES, "%s:%" PRIu32, path, line->line);
  return text;
}

void listing_line(const struct listing *listing, const struct profile_line *line, size_t used) {
  char text[PLACE_BYTES];
  const char *at = place(listing, line, text);
  size_t width = listing->terminal.width, longest = LONGEST_PLACE, shown = strlen(at);
  if (width < used + LONGEST_PLACE + 2 + LEAST_NAME)
    longest = width > used + SHORTEST_PLACE + 2 + LEAST_NAME ? width - used - 2 - LEAST_NAME
                                                             : SHORTEST_PLACE;
  if (width && shown > longest) shown = longest;
  text_name(listing->out, at, width ? longest : 0);
  fputs("  ", listing->out);
  used += shown + 2;
  const char *inlined = listing_inlined_beside(listing, line->function, used);
  listing_name(listing, line->function, listing_name_width(listing, used + strlen(inlined)));
  fprintf(listing->out, "%s\n", inlined);
}

static void print_line(const struct listing *listing, uint32_t id) {
  const struct profile_line *line = &listing->model->profile->lines[id];
  struct amount amount = listing->model->costs->line_self[id];
  struct estimate self = model_estimate(listing->model, amount);
  size_t used = SHARE_WIDTH + column_width(listing) + 2;
  if (listing->model->costs->line_total) {
    struct estimate total = model_estimate(listing->model, listing->model->costs->line_total[id]);
    column_shares(listing, self.ns, &total.ns, books_whole_ns(&listing->model->books));
    column_estimate(listing, self);
    column_estimate(listing, total);
    used = SHARES_WIDTH + 2 * column_width(listing) + 2;
  } else {
    text_percent(listing->out, self.ns, books_whole_ns(&listing->model->books), SHARE_WIDTH);
    column_estimate(listing, self);
  }
  if (listing->columns.ticks) {
    fprintf(listing->out, "%9" PRIu64, amount.ticks);
    used += 9;
  }
  fputs("  ", listing->out);
  listing_line(listing, line, used);
}

void listing_lines(const struct listing *listing) {
  size_t count = 0,
         limit = listing->model->options->limit ? listing->model->options->limit : LISTED_LINES;
  uint32_t *lines = memory_zeroed(listing->model->profile->line_count, sizeof *lines);
  for (size_t i = 0; i < listing->model->profile->line_count; i++)
    if ((listing->model->costs->line_self[i].raw_ns || total_of(listing, i)) &&
        model_lists(listing->model, listing->model->profile->lines[i].function))
      lines[count++] = i;
  qsort_r(lines, count, sizeof *lines, in_order, (void *)listing);
  print_headings(listing);
  for (size_t i = 0; i < count && i < limit; i++)
    print_line(listing, lines[i]);
  if (count > limit) fprintf(listing->out, "%zu more lines (--limit all)\n", count - limit);
  free(lines);
}
