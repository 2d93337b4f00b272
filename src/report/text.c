#include "report/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "attribution/books.h"

struct time_unit time_unit_for(uint64_t whole_ns) {
  if (whole_ns >= 100000000000) return (struct time_unit){"s", 1e9, 2};
  if (whole_ns >= 1000000000) return (struct time_unit){"s", 1e9, 3};
  if (whole_ns >= 100000000) return (struct time_unit){"ms", 1e6, 1};
  if (whole_ns >= 1000000) return (struct time_unit){"ms", 1e6, 2};
  return (struct time_unit){"us", 1e3, 1};
}

void text_time(FILE *out, struct time_unit unit, uint64_t ns, int width) {
  fprintf(out, "%*.*f", width, unit.digits, ns / unit.ns);
}

/* Of few ticks, the ends of the interval lie apart by more than a fifth. */
bool text_is_two_sided(struct estimate estimate) {
  uint64_t below = estimate.ns - estimate.low_ns, above = estimate.high_ns - estimate.ns;
  return estimate.ns && (above > below + below / 5 || below > above + above / 5);
}

void text_uncertainty(FILE *out, struct time_unit unit, struct estimate estimate, int width) {
  char text[64] = "?", ends[64];
  if (estimate.uncertainty_ns != UNCERTAINTY_UNKNOWN)
    snprintf(text, sizeof text, "%s%.*f", estimate.ns || !estimate.uncertainty_ns ? "" : "<",
             unit.digits, estimate.uncertainty_ns / unit.ns);
  int length = snprintf(ends, sizeof ends, "%.*f..%.*f", unit.digits, estimate.low_ns / unit.ns,
                        unit.digits, estimate.high_ns / unit.ns);
  bool both = estimate.uncertainty_ns != UNCERTAINTY_UNKNOWN && text_is_two_sided(estimate);
  fprintf(out, "%*s", width, both && length < width ? ends : text);
}

double text_share(uint64_t part, uint64_t whole) {
  return whole ? 100.0 * part / whole : 0.0;
}

void text_percent(FILE *out, uint64_t part, uint64_t whole, int width) {
  fprintf(out, "%*.1f", width, text_share(part, whole));
}

/* In per cent, rounded up: that of many ticks is small, but not 0. */
static double uncertain_share(uint64_t uncertainty_ns, uint64_t whole_ns) {
  return ceil(10 * text_share(uncertainty_ns, whole_ns)) / 10;
}

void text_uncertain_share(FILE *out, struct estimate estimate, uint64_t whole_ns, bool uncertain) {
  fprintf(out, "%7.1f ", text_share(estimate.ns, whole_ns));
  if (estimate.uncertainty_ns == UNCERTAINTY_UNKNOWN || !uncertain)
    fprintf(out, "%6s", "");
  else
    fprintf(out, "%s%4.1f", estimate.ns ? "+-" : "< ",
            uncertain_share(estimate.uncertainty_ns, whole_ns));
}

const char *duration_text(double ns, char text[DURATION_BYTES]) {
  static const struct {
    double ns;
    const char *name;
  } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    double value = ns / units[i].ns;
    if (value < 0.9995) continue;
    int digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    if (units[i].ns == 1e9) digits = value < 99.95 ? 3 : 1;
    snprintf(text, DURATION_BYTES, "%.*f %s", digits, value, units[i].name);
    return text;
  }
  if (ns > 0)
    snprintf(text, DURATION_BYTES, "%.*f ns", ns < 9.95, ns);
  else
    snprintf(text, DURATION_BYTES, "0 s");
  return text;
}

const char *range_text(double low_ns, double high_ns, char text[RANGE_BYTES]) {
  char low[DURATION_BYTES], high[DURATION_BYTES];
  duration_text(low_ns, low);
  duration_text(high_ns, high);
  if (strcmp(low, high) == 0) return strcpy(text, high);
  char *unit = strchr(low, ' ');
  if (low_ns <= 0 || strcmp(unit, strchr(high, ' ')) == 0) *unit = 0;
  snprintf(text, RANGE_BYTES, "%s to %s", low, high);
  return text;
}

const char *cost_text(struct range ns, uint64_t whole_ns, char text[COST_BYTES]) {
  char low[DURATION_BYTES], high[DURATION_BYTES], range[RANGE_BYTES];
  snprintf(low, sizeof low, "%.1f", text_share(ns.low, whole_ns));
  snprintf(high, sizeof high, "%.1f", text_share(ns.high, whole_ns));
  bool one = strcmp(low, high) == 0;
  range_text(ns.low, ns.high, range);
  if (ns.high > whole_ns) return strcpy(text, range);
  snprintf(text, COST_BYTES, "%s (%s%s%s %%)", range, one ? "" : low, one ? "" : " to ", high);
  return text;
}

const char *estimate_text(uint64_t ns, uint64_t uncertainty_ns, char text[ESTIMATE_BYTES]) {
  char value[DURATION_BYTES], error[DURATION_BYTES];
  duration_text(uncertainty_ns, error);
  if (ns)
    snprintf(text, ESTIMATE_BYTES, "%s +- %s", duration_text(ns, value), error);
  else if (uncertainty_ns)
    snprintf(text, ESTIMATE_BYTES, "0 s (at most %s)", error);
  else
    snprintf(text, ESTIMATE_BYTES, "0 s");
  return text;
}

const char *signal_text(int signal, char text[SIGNAL_BYTES]) {
  const char *name = sigabbrev_np(signal);
  if (name)
    snprintf(text, SIGNAL_BYTES, "SIG%s", name);
  else
    snprintf(text, SIGNAL_BYTES, "signal %d", signal);
  return text;
}

const char *date_text(uint64_t realtime_ns, char text[DATE_BYTES]) {
  time_t seconds = realtime_ns / 1000000000;
  struct tm local;
  if (!localtime_r(&seconds, &local) || !strftime(text, DATE_BYTES, "%F %T", &local))
    snprintf(text, DATE_BYTES, "%llu s", (unsigned long long)seconds);
  return text;
}

static const char *next_character(const char *text) {
  size_t bytes = utf8_bytes(text);
  return text + (bytes ? bytes : 1);
}

static size_t characters(const char *text) {
  size_t count = 0;
  for (; *text; text = next_character(text))
    count++;
  return count;
}

static bool is_plain(char byte) {
  return byte >= ' ' && byte < 0x7f;
}

/* Write `count` characters and return what follows them. */
static const char *write_characters(FILE *out, const char *text, size_t count) {
  while (count && *text) {
    size_t plain = 0;
    while (plain < count && is_plain(text[plain]))
      plain++;
    if (plain) {
      fwrite(text, 1, plain, out);
      text += plain;
      count -= plain;
      continue;
    }
    count--;
    size_t bytes = utf8_bytes(text);
    if (!bytes || utf8_is_control(text, bytes))
      fputc('?', out);
    else
      fwrite(text, 1, bytes, out);
    text = next_character(text);
  }
  return text;
}

void text_function(FILE *out, const char *name, struct name_part telling, size_t width) {
  char shorter[1024];
  text_name(out, width ? name_fit(name, telling, width, shorter, sizeof shorter) : name, width);
}

void text_name(FILE *out, const char *name, size_t width) {
  if (!width) {
    write_characters(out, name, SIZE_MAX);
    return;
  }
  size_t length = characters(name);
  if (length <= width || width < 8) {
    write_characters(out, name, length);
    return;
  }
  size_t before = (width - 3) / 2, after = width - 3 - before;
  const char *rest = write_characters(out, name, before);
  fputs("...", out);
  for (size_t skip = length - before - after; skip; skip--)
    rest = next_character(rest);
  write_characters(out, rest, after);
}

void text_start(FILE *out, const char *text, size_t width) {
  size_t length = characters(text);
  bool is_cut = width && length > width && width >= 8;
  write_characters(out, text, is_cut ? width - 3 : length);
  if (is_cut) fputs("...", out);
}

void text_source(FILE *out, const char *line, size_t width) {
  enum { TAB = 8 };
  char expanded[512];
  size_t used = 0;
  for (; *line && used + TAB < sizeof expanded; line++) {
    if (*line != '\t') {
      expanded[used++] = *line;
      continue;
    }
    do
      expanded[used++] = ' ';
    while (used % TAB);
  }
  expanded[used] = '\0';
  text_start(out, expanded, width);
}

const char *calls_range_text(uint64_t least, uint64_t most, char text[CALLS_RANGE_BYTES]) {
  text[0] = '\0';
  if (least == most) return text;
  int length = snprintf(text, CALLS_RANGE_BYTES, " %" PRIu64 "..", least);
  if (most != UINT64_MAX)
    snprintf(text + length, CALLS_RANGE_BYTES - (size_t)length, "%" PRIu64, most);
  return text;
}
