/* What was measured when: the run in equal parts, and what each spent its time in, functions or
 * cost centres. */
#include <math.h>
#include <string.h>

#include "attribution/over_time.h"
#include "profile/centres.h"
#include "report/columns.h"

enum {
  PARTS_MOST = 24,
  MARKS_MOST = 40,
  NAMES_MOST = 8,
  NAME_WIDTH = 40,
  LEAST_NAME = 12,
  START_WIDTH = 10,
  AMOUNT_WIDTH = 12
};

#define SHARE_SHOWN 0.05    /* of its part: what has less is not named */
#define SHARE_UNSAMPLED 0.2 /* more than chance and tick handlers explain in short parts */

struct parts {
  const struct listing *listing;
  struct over_time times;
};

/* Who has most of the part, and no more of it afterwards. */
static uint32_t take_largest(const struct parts *parts, size_t part, double *share) {
  const struct over_time *times = &parts->times;
  uint64_t *amounts = &times->of_owners[part * times->owner_count];
  size_t largest = 0;
  for (size_t i = 1; i < times->owner_count; i++)
    if (amounts[i] > amounts[largest]) largest = i;
  *share = times->of_parts[part] ? (double)amounts[largest] / times->of_parts[part] : 0;
  amounts[largest] = 0;
  return (uint32_t)largest;
}

/* Returns the columns that it took. */
static size_t print_owner(const struct parts *parts, uint32_t owner, size_t width) {
  const struct listing *listing = parts->listing;
  const char *name = over_time_owner(listing->model->profile, &parts->times, owner, NULL);
  size_t length = strlen(name);
  if (parts->times.by == TIME_OF_CENTRES)
    text_function(listing->out, name, (struct name_part){0}, width);
  else
    listing_name(listing, owner, width);
  return length < width ? length : width;
}

/* As many as there is room for, with their shares of the part. */
static void print_owners(const struct parts *parts, size_t part, size_t used) {
  enum { SHARE_COLUMNS = 6, ROOM_ELSEWHERE = 120 };
  const struct listing *listing = parts->listing;
  size_t room = listing->terminal.width ? listing_name_width(listing, used) : ROOM_ELSEWHERE;
  for (size_t i = 0; i < NAMES_MOST; i++) {
    double share;
    uint32_t owner = take_largest(parts, part, &share);
    if (share < SHARE_SHOWN || (i && room < SHARE_COLUMNS + LEAST_NAME)) break;
    size_t width = room > SHARE_COLUMNS + LEAST_NAME ? room - SHARE_COLUMNS : LEAST_NAME;
    if (width > NAME_WIDTH) width = NAME_WIDTH;
    if (i) fputs(", ", listing->out);
    size_t taken = print_owner(parts, owner, width) + SHARE_COLUMNS + 2;
    fprintf(listing->out, " %.0f %%", 100 * share);
    room = room > taken ? room - taken : 0;
  }
}

static void print_part(const struct parts *parts, size_t part) {
  const struct listing *listing = parts->listing;
  const struct over_time *times = &parts->times;
  const char *unit = model_unit(listing->model);
  struct amount amount = {.raw_ns = times->of_parts[part]};
  bool level = metric_is_level(profile_metric(listing->model->profile));
  uint64_t start = times->first_ns + part * times->length_ns;
  uint64_t length = fmin(times->length_ns, times->end_ns - start);
  double own = level ? amount.raw_ns : books_ns(&listing->model->books, amount);
  double cpu = (double)times->cpu_ns[part];
  double unsampled = cpu > own ? (cpu - own) / cpu : 0;
  char text[DURATION_BYTES];
  fprintf(listing->out, "%*.3f", START_WIDTH, (double)start / 1e9);
  if (unit)
    fprintf(listing->out, "%*s", AMOUNT_WIDTH, quantity_short_text(unit, own, text));
  else
    fprintf(listing->out, "%*.2f", AMOUNT_WIDTH, fmax(own, cpu) / length);
  if (times->of_parts[part] || unsampled) fputs("  ", listing->out);
  if (unsampled > SHARE_UNSAMPLED)
    fprintf(listing->out, "profiling or not sampled %.0f %%%s", 100 * unsampled,
            times->of_parts[part] ? "; of the rest " : "");
  print_owners(parts, part, START_WIDTH + AMOUNT_WIDTH + 2);
  fputc('\n', listing->out);
}

static void print_heading(const struct parts *parts) {
  const struct listing *listing = parts->listing;
  const char *unit = model_unit(listing->model);
  bool waits = profile_metric(listing->model->profile)->kind == METRIC_WAITING;
  char length[DURATION_BYTES], title[2 * DURATION_BYTES];
  snprintf(title, sizeof title, "Over time, in parts of %s",
           duration_text((double)parts->times.length_ns, length));
  listing_bold(listing);
  fprintf(listing->out, "\n%s\n", title);
  listing_dim(listing);
  fprintf(listing->out, "%*s%*s  %s\n", START_WIDTH, "from", AMOUNT_WIDTH,
          unit    ? unit
          : waits ? "threads"
                  : "CPUs",
          unit ? "most of it in" : "most time in");
  fprintf(listing->out, "%*s%*s  %s\n", START_WIDTH, "s", AMOUNT_WIDTH,
          unit    ? ""
          : waits ? "waiting"
                  : "used",
          "share of the part");
  listing_plain(listing);
}

/* The moments that the program named. */
static void print_marks(const struct listing *listing) {
  const struct profile *profile = listing->model->profile;
  if (!profile->mark_count) return;
  listing_bold(listing);
  fputs("\nMarks\n", listing->out);
  listing_dim(listing);
  fprintf(listing->out, "%*s\n%*s\n", START_WIDTH, "at", START_WIDTH, "s");
  listing_plain(listing);
  for (size_t i = 0; i < profile->mark_count && i < MARKS_MOST; i++) {
    fprintf(listing->out, "%*.3f  ", START_WIDTH, (double)profile->marks[i].time_ns / 1e9);
    text_start(listing->out, profile->marks[i].text, listing_name_width(listing, START_WIDTH + 2));
    fputc('\n', listing->out);
  }
  if (profile->mark_count > MARKS_MOST)
    fprintf(listing->out, "%zu more are in --json\n", profile->mark_count - MARKS_MOST);
}

void listing_series(const struct listing *listing) {
  const struct report_options *options = listing->model->options;
  const struct profile *profile = listing->model->profile;
  struct parts parts = {.listing = listing};
  bool by_centre = options->parts & REPORT_CENTRES && profile_has_centres(profile);
  if (!over_time_make(profile, &options->selection, by_centre ? TIME_OF_CENTRES : TIME_OF_FUNCTIONS,
                      PARTS_MOST, &parts.times)) {
    fputs("\nOver time: not known of this metric, or of a profile that was imported, made by an "
          "earlier version, or merged of such or of very many, or has no ticks\n",
          listing->out);
    return;
  }
  print_heading(&parts);
  for (size_t i = 0; i < parts.times.count; i++)
    print_part(&parts, i);
  print_marks(listing);
  over_time_free(&parts.times);
}
