#include "report/quantity.h"

#include <string.h>

static const struct prefix {
  double value;
  char letter;
} prefixes[] = {{1e12, 'T'}, {1e9, 'G'}, {1e6, 'M'}, {1e3, 'k'}, {1, '\0'}};
enum { PREFIXES = sizeof prefixes / sizeof *prefixes };

/* The largest one that leaves `least` or more of the amount. */
static const struct prefix *prefix_for(double amount, double least) {
  size_t i = 0;
  while (i < PREFIXES - 1 && amount < least * prefixes[i].value)
    i++;
  return &prefixes[i];
}

static bool is_bytes(const char *unit) {
  return strcmp(unit, "bytes") == 0;
}

/* "M Ir", "Mcycles", "MB"; only the power where the name is too long: the title has it whole. */
static void name_column(struct time_unit *column, const char *unit, const struct prefix *prefix) {
  size_t room = sizeof column->name - 1, length = strlen(unit);
  if (prefix->letter == '\0' && length <= room)
    snprintf(column->name, sizeof column->name, "%s", unit);
  else if (prefix->letter == '\0')
    snprintf(column->name, sizeof column->name, "count");
  else if (is_bytes(unit))
    snprintf(column->name, sizeof column->name, "%cB", prefix->letter);
  else if (length + 2 <= room)
    snprintf(column->name, sizeof column->name, "%c %s", prefix->letter, unit);
  else if (length + 1 <= room)
    snprintf(column->name, sizeof column->name, "%c%s", prefix->letter, unit);
  else
    snprintf(column->name, sizeof column->name, "%c", prefix->letter);
}

struct time_unit quantity_unit(const char *unit, uint64_t whole) {
  if (!unit) return time_unit_for(whole);
  const struct prefix *prefix = prefix_for(whole, 100);
  struct time_unit column = {"", prefix->value, 0};
  double largest = whole / prefix->value;
  if (prefix->letter) column.digits = largest < 1000 ? 3 : largest < 10000 ? 2 : 1;
  name_column(&column, unit, prefix);
  return column;
}

/* "1.23", and behind a blank the prefix if there is one. */
static void number_text(double amount, const struct prefix *prefix, char text[DURATION_BYTES]) {
  double value = amount / prefix->value;
  int digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  if (prefix->letter)
    snprintf(text, DURATION_BYTES, "%.*f %c", digits, value, prefix->letter);
  else
    snprintf(text, DURATION_BYTES, "%.*f", value == (uint64_t)value ? 0 : digits, value);
}

const char *quantity_short_text(const char *unit, double amount, char text[DURATION_BYTES]) {
  if (!unit) return duration_text(amount, text);
  const struct prefix *prefix = prefix_for(amount, 1);
  number_text(amount, prefix, text);
  if (prefix->letter && is_bytes(unit)) strcat(text, "B"); /* a number is some bytes shorter */
  return text;
}

const char *quantity_text(const char *unit, double amount, char text[QUANTITY_BYTES]) {
  char number[DURATION_BYTES];
  const struct prefix *prefix = prefix_for(amount, 1);
  if (!unit) return duration_text(amount, text);
  number_text(amount, prefix, number);
  if (prefix->letter && is_bytes(unit))
    snprintf(text, QUANTITY_BYTES, "%sB", number);
  else
    snprintf(text, QUANTITY_BYTES, "%s %s", number, is_bytes(unit) && amount == 1 ? "byte" : unit);
  return text;
}

const char *quantity_estimate_text(const char *unit, struct estimate estimate,
                                   char text[QUANTITY_ESTIMATE_BYTES]) {
  char value[QUANTITY_BYTES], error[DURATION_BYTES], high[DURATION_BYTES];
  quantity_text(unit, estimate.ns, value);
  if (estimate.uncertainty_ns == UNCERTAINTY_UNKNOWN)
    snprintf(text, QUANTITY_ESTIMATE_BYTES, "%s (uncertainty not known)", value);
  else if (!estimate.uncertainty_ns)
    snprintf(text, QUANTITY_ESTIMATE_BYTES, "%s", value);
  else if (estimate.ns && estimate.uncertainty_ns > estimate.ns)
    snprintf(text, QUANTITY_ESTIMATE_BYTES, "%s (%s..%s)", value,
             quantity_short_text(unit, estimate.low_ns, error),
             quantity_short_text(unit, estimate.high_ns, high));
  else if (estimate.ns)
    snprintf(text, QUANTITY_ESTIMATE_BYTES, "%s +- %s", value,
             quantity_short_text(unit, estimate.uncertainty_ns, error));
  else
    snprintf(text, QUANTITY_ESTIMATE_BYTES, "%s (at most %s)", value,
             quantity_short_text(unit, estimate.uncertainty_ns, error));
  return text;
}
