#include "exchange/export_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/base_name.h"
#include "report/text.h"

struct naming {
  const struct profile *profile;
  struct pool *pool;
  const char **names;
  uint32_t *order; /* functions by their present names */
};

static FILE *text_open(char **text, size_t *bytes) {
  FILE *out = open_memstream(text, bytes);
  if (!out) memory_exhausted();
  return out;
}

static const char *text_close(struct pool *pool, FILE *out, char **text) {
  if (fclose(out) != 0) memory_exhausted();
  const char *copy = pool_string(pool, *text);
  free(*text);
  return copy;
}

const char *export_clean(struct pool *pool, const char *text) {
  char *clean;
  size_t bytes;
  FILE *out = text_open(&clean, &bytes);
  text_name(out, text, 0);
  return text_close(pool, out, &clean);
}

/* As in reports. */
static const char *with_place(const struct naming *naming, uint32_t id) {
  const struct profile_function *function = &naming->profile->functions[id];
  if (!function->file && function->object == NOTHING) return naming->names[id];
  char *text;
  size_t bytes;
  FILE *out = text_open(&text, &bytes);
  fprintf(out, "%s (", naming->names[id]);
  if (function->file) {
    text_name(out, base_name(function->file), 0);
    fprintf(out, ":%u", function->line);
    if (function->column) fprintf(out, ":%u", function->column);
  }
  if (function->object != NOTHING) {
    fputs(function->file ? " in " : "in ", out);
    text_name(out, base_name(naming->profile->objects[function->object].path), 0);
  }
  fputc(')', out);
  return text_close(naming->pool, out, &text);
}

static const char *with_id(const struct naming *naming, uint32_t id) {
  char *text;
  size_t bytes;
  FILE *out = text_open(&text, &bytes);
  fprintf(out, "%s #%u", naming->names[id], id + 1);
  return text_close(naming->pool, out, &text);
}

static int compare_names(const void *left, const void *right, void *context) {
  const struct naming *naming = context;
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  int order = strcmp(naming->names[a], naming->names[b]);
  return order ? order : (a > b) - (a < b);
}

static bool same_name(const struct naming *naming, size_t a, size_t b) {
  return naming->names[naming->order[a]] == naming->names[naming->order[b]];
}

/* Names that several functions have are made longer. */
static void tell_apart(struct naming *naming,
                       const char *(*longer)(const struct naming *naming, uint32_t id)) {
  size_t count = naming->profile->function_count, end;
  qsort_r(naming->order, count, sizeof *naming->order, compare_names, naming);
  for (size_t start = 0; start < count; start = end) {
    for (end = start + 1; end < count && same_name(naming, start, end);)
      end++;
    for (size_t i = start; end - start > 1 && i < end; i++)
      naming->names[naming->order[i]] = longer(naming, naming->order[i]);
  }
}

const char **export_names(const struct profile *profile, struct pool *pool) {
  struct naming naming = {.profile = profile, .pool = pool};
  naming.names = memory_zeroed(profile->function_count, sizeof *naming.names);
  naming.order = memory_zeroed(profile->function_count, sizeof *naming.order);
  for (size_t i = 0; i < profile->function_count; i++) {
    const char *name = profile->functions[i].name;
    naming.names[i] = export_clean(pool, *name ? name : "?");
    naming.order[i] = i;
  }
  tell_apart(&naming, with_place);
  tell_apart(&naming, with_id);
  free(naming.order);
  return naming.names;
}
