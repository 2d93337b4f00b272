#include "exchange/export_remarks.h"

#include <inttypes.h>

#include "exchange/export_names.h"
#include "report/quantity.h"

enum { REMARK_BYTES = 512 };

static const char *source(const struct export_data *data, char text[REMARK_BYTES]) {
  const struct profile *profile = data->profile;
  char date[DATE_BYTES];
  uint64_t started = data->run.started_ns;
  snprintf(text, REMARK_BYTES, "profile of Ascribe %s%s%s%s%s", profile->version,
           profile->origin.format ? ", imported from " : "",
           profile->origin.format ? profile->origin.format : "", started ? ", recorded " : "",
           started ? date_text(started, date) : "");
  return text;
}

static const char *whole(const struct export_data *data, char text[REMARK_BYTES]) {
  struct estimate all = books_estimate(&data->books, data->all);
  char amount[QUANTITY_ESTIMATE_BYTES];
  int length =
      snprintf(text, REMARK_BYTES, "self %s of all functions: %s", data->unit ? "costs" : "times",
               quantity_estimate_text(data->unit, all, amount));
  if (data->all.ticks)
    snprintf(text + length, REMARK_BYTES - length, ", from %" PRIu64 " ticks", data->all.ticks);
  return text;
}

/* Null when everything is in here. */
static const char *missing(const struct export_data *data, char text[REMARK_BYTES]) {
  const struct books *books = &data->books;
  const struct {
    const char *what;
    uint64_t ns;
  } parts[] = {{"dropped ticks", books_ns(books, books->dropped)},
               {"the profiler", books_ns(books, books->profiler) + books->handlers_ns},
               {"the kernel, not sampled", books->kernel_ns},
               {"user code without ticks", books->unsampled_ns}};
  size_t count = data->unit ? 1 : sizeof parts / sizeof *parts; /* the others are time */
  char amount[QUANTITY_BYTES];
  int length = 0;
  for (size_t i = 0; i < count; i++)
    if (parts[i].ns)
      length += snprintf(text + length, REMARK_BYTES - length, "%s %s %s",
                         length ? "," : "not in here:", parts[i].what,
                         quantity_text(data->unit, parts[i].ns, amount));
  return length ? text : NULL;
}

/* Null when nothing was chosen. */
static const char *chosen(const struct export_data *data, char text[REMARK_BYTES]) {
  const struct selection *selection = &data->options->selection;
  const char *who = selection->thread != NOTHING ? "of one thread only"
                    : selection->processes       ? "of the chosen processes only"
                                                 : "";
  if (!*who && !selection->focus_count) return NULL;
  snprintf(text, REMARK_BYTES, "%s%s%s", who, *who && selection->focus_count ? "; " : "",
           selection->focus_count ? "only where the chosen functions are active" : "");
  return text;
}

void export_remarks(const struct export_data *data, const char *remarks[MOST_REMARKS + 1]) {
  char text[REMARK_BYTES];
  size_t count = 0;
  const char *(*const kinds[])(const struct export_data *, char[REMARK_BYTES]) = {source, whole,
                                                                                  missing, chosen};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    const char *remark = kinds[i](data, text);
    if (remark) remarks[count++] = export_clean(data->pool, remark);
  }
}
