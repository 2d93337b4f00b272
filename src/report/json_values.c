#include "report/json_values.h"

#include "attribution/equations/call_equations.h"

enum { KEY_BYTES = 64 };

void json_id(struct json *json, const char *key, uint32_t id) {
  if (id == NOTHING)
    json_null(json, key);
  else
    json_number(json, key, (uint64_t)id + 1);
}

void json_function_name(struct json *json, const struct profile *profile, const char *key,
                        uint32_t function) {
  json_text(json, key, function == NOTHING ? NULL : profile->functions[function].name);
}

void json_line(struct json *json, const char *key, uint32_t line) {
  if (line)
    json_number(json, key, line);
  else
    json_null(json, key);
}

void json_through(struct json *json, const struct profile *profile, uint32_t expansion) {
  json_open(json, "through", '[');
  for (uint32_t id = expansion; id != NOTHING; id = profile->expansions[id].parent) {
    const struct profile_expansion *step = &profile->expansions[id];
    bool macro = step->function == NOTHING;
    json_open(json, NULL, '{');
    json_text(json, "kind", macro ? "macro" : "inlined");
    json_text(json, "name", macro ? step->macro : profile->functions[step->function].name);
    json_id(json, "function", step->function);
    json_text(json, "file", step->file);
    json_line(json, "line", step->line);
    json_line(json, "column", step->column);
    json_close(json, '}');
  }
  json_close(json, ']');
}

void json_uncertainty(struct json *json, const char *key, struct estimate estimate) {
  if (estimate.uncertainty_ns == UNCERTAINTY_UNKNOWN)
    json_null(json, key);
  else
    json_number(json, key, estimate.uncertainty_ns);
}

void json_estimate(struct json *json, const char *ns_key, const char *uncertainty_key,
                   struct estimate estimate) {
  json_number(json, ns_key, estimate.ns);
  json_uncertainty(json, uncertainty_key, estimate);
}

static const char *key_of(const char *key, const char *suffix, char text[KEY_BYTES]) {
  snprintf(text, KEY_BYTES, "%s%s", key, suffix);
  return text;
}

static void json_end(struct json *json, const char *key, bool known, uint64_t ns) {
  known ? json_number(json, key, ns) : json_null(json, key);
}

void json_amount(struct json *json, const char *key, const struct books *books,
                 struct amount amount) {
  char ns[KEY_BYTES], uncertainty[KEY_BYTES], ticks[KEY_BYTES];
  struct estimate estimate = books_estimate(books, amount);
  json_estimate(json, key_of(key, "_ns", ns), key_of(key, "_uncertainty_ns", uncertainty),
                estimate);
  bool known = estimate.uncertainty_ns != UNCERTAINTY_UNKNOWN;
  json_end(json, key_of(key, "_low_ns", ns), known, estimate.low_ns);
  json_end(json, key_of(key, "_high_ns", ns), known, estimate.high_ns);
  json_number(json, key_of(key, "_ticks", ticks), amount.ticks);
}

void json_no_amount(struct json *json, const char *key) {
  static const char *const suffixes[] = {"_ns", "_uncertainty_ns", "_low_ns", "_high_ns", "_ticks"};
  char text[KEY_BYTES];
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
    json_null(json, key_of(key, suffixes[i], text));
}

void json_calls_range(struct json *json, bool solved, uint64_t least, uint64_t most) {
  solved ? json_number(json, "least_calls", least) : json_null(json, "least_calls");
  solved &&most != COUNT_UNBOUNDED ? json_number(json, "most_calls", most)
                                   : json_null(json, "most_calls");
}
