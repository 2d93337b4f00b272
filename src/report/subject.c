#include "report/subject.h"

#include <stdlib.h>
#include <string.h>

#include "report/nearest.h"
#include "symbols/name_parts.h"

enum { LONGEST_BRIEF = 1024 };

/* ---- names ---- */

static bool function_has_name(const struct profile_function *function, const char *name) {
  size_t length = strlen(name);
  return strcmp(function->name, name) == 0 ||
         (function->linkage && strcmp(function->linkage, name) == 0) ||
         (strncmp(function->name, name, length) == 0 && function->name[length] == '(');
}

/* The `most` characters before `end` end in `wanted`, which begins a part there. */
static bool ends_in_parts(const char *end, size_t most, const char *wanted) {
  size_t length = strlen(wanted);
  if (length == 0 || length > most || strncmp(end - length, wanted, length) != 0) return false;
  return length == most || end[-(ptrdiff_t)length - 1] == ':';
}

/* "sort", "std::sort", "sort<int*>" and "sort<int*>(int*, int*)" of "void std::sort<int*>(int*,
 * int*)"; "Table::get" of "Table<int>::get()". */
static bool has_last_part(const struct profile_function *function, const char *wanted) {
  struct name_part last = name_last(function->name), whole = name_qualified(function->name);
  const char *end = last.text + last.length;
  if (strlen(wanted) == last.length && strncmp(last.text, wanted, last.length) == 0) return true;
  if (ends_in_parts(end, end - whole.text, wanted)) return true;
  if (ends_in_parts(whole.text + whole.length, whole.length, wanted)) return true;
  size_t signature = strlen(whole.text);
  if (ends_in_parts(whole.text + signature, signature, wanted)) return true;
  char brief[LONGEST_BRIEF];
  size_t length = strlen(name_brief(function->name, brief, sizeof brief));
  return ends_in_parts(brief + length, length, wanted);
}

/* ---- functions ---- */

static bool defined_together(const struct profile_function *a, const struct profile_function *b) {
  return a->file && b->file && strcmp(a->file, b->file) == 0 && a->line == b->line;
}

/* Groups follow each other in `ids`, each in the order of its first function. */
static void make_groups(const struct profile *profile, struct subject *subject, size_t count) {
  uint32_t *found = subject->ids;
  uint32_t *ids = memory_zeroed(count, sizeof *ids);
  size_t taken = 0;
  subject->ids = ids;
  subject->groups = memory_zeroed(count, sizeof *subject->groups);
  for (size_t i = 0; i < count; i++) {
    if (found[i] == NOTHING) continue;
    struct subject_functions *group = &subject->groups[subject->group_count++];
    const struct profile_function *first = &profile->functions[found[i]];
    group->ids = ids + taken;
    for (size_t other = i; other < count; other++) {
      if (found[other] == NOTHING ||
          (other != i && !defined_together(first, &profile->functions[found[other]])))
        continue;
      ids[taken++] = found[other];
      group->count++;
      found[other] = NOTHING;
    }
  }
  free(found);
}

/* Fortran's procedures outside of modules have a "_" behind their names. */
static bool is_fortran_procedure(const struct profile_function *function, const char *name) {
  size_t length = strlen(name);
  return strncmp(function->name, name, length) == 0 && strcmp(function->name + length, "_") == 0;
}

static int find_functions(const struct profile *profile, const char *name,
                          struct subject *subject) {
  static bool (*const matches[])(const struct profile_function *, const char *) = {
      function_has_name, has_last_part, is_fortran_procedure};
  *subject = (struct subject){.ids = memory_zeroed(profile->function_count, sizeof(uint32_t))};
  size_t count = 0;
  for (size_t way = 0; count == 0 && way < sizeof matches / sizeof *matches; way++)
    for (size_t i = 0; i < profile->function_count; i++)
      if (matches[way](&profile->functions[i], name)) subject->ids[count++] = i;
  make_groups(profile, subject, count);
  if (count) return 0;
  subject_free(subject);
  return -1;
}

static int is_empty(const char *option, const char *of, struct error *error) {
  return error_set(error, "%s: expected the name of %s, got an empty one", option, of);
}

int subject_find_functions(const struct profile *profile, const char *name, const char *option,
                           struct subject *subject, struct error *error) {
  if (!*name) return is_empty(option, "a function", error);
  if (find_functions(profile, name, subject) == 0) return 0;
  char near[NEAREST_BYTES];
  nearest_names(profile, name, near);
  return error_set(error, "%s %s: no such function in the profile%s", option, name,
                   *near ? near : "; see ascribe report --flat");
}

static struct amount most_of(const struct subject_functions *group, const struct costs *costs,
                             bool total) {
  struct amount most = {0};
  for (size_t i = 0; i < group->count; i++) {
    const struct function_cost *cost = &costs->functions[group->ids[i]];
    const struct amount *amount = total ? &cost->total : &cost->self;
    if (amount->raw_ns > most.raw_ns) most = *amount;
  }
  return most;
}

static int more_first(const void *left, const void *right, void *costs) {
  const struct subject_functions *a = *(const struct subject_functions *const *)left;
  const struct subject_functions *b = *(const struct subject_functions *const *)right;
  for (int total = 0; total <= 1; total++) {
    uint64_t of_a = most_of(a, costs, total).raw_ns, of_b = most_of(b, costs, total).raw_ns;
    if (of_a != of_b) return of_a > of_b ? -1 : 1;
  }
  return a->ids[0] < b->ids[0] ? -1 : 1;
}

const struct subject_functions **subject_order(const struct subject *subject,
                                               const struct costs *costs) {
  const struct subject_functions **order = memory_zeroed(subject->group_count, sizeof *order);
  for (size_t i = 0; i < subject->group_count; i++)
    order[i] = &subject->groups[i];
  qsort_r(order, subject->group_count, sizeof *order, more_first, (void *)costs);
  return order;
}

/* ---- files ---- */

static bool ends_in(const char *path, const char *name) {
  size_t length = strlen(path), wanted = strlen(name);
  if (wanted == 0 || wanted > length || strcmp(path + length - wanted, name) != 0) return false;
  return wanted == length || name[0] == '/' || path[length - wanted - 1] == '/';
}

/* Keep the first file of that name; -1 if another one has been kept. */
static int keep_file(const char **kept, const char *path, const char *name) {
  if (!path || !ends_in(path, name)) return 0;
  if (*kept && strcmp(*kept, path) != 0) return -1;
  *kept = path;
  return 0;
}

static int not_found(const struct profile *profile, const char *name, const char *option,
                     struct error *error) {
  char near[NEAREST_BYTES];
  nearest_names(profile, name, near);
  return error_set(error, "%s %s: no such function or source file in the profile%s", option, name,
                   *near ? near : "; see ascribe report --lines");
}

static int find_file(const struct profile *profile, const char *name, const char *option,
                     struct subject *subject, struct error *error) {
  const char *file = NULL, *other = NULL;
  for (size_t i = 0; i < profile->line_count && !other; i++)
    if (keep_file(&file, profile->lines[i].file, name) != 0) other = profile->lines[i].file;
  for (size_t i = 0; i < profile->function_count && !other; i++)
    if (keep_file(&file, profile->functions[i].file, name) != 0) other = profile->functions[i].file;
  if (other)
    return error_set(error, "%s %s: there are several, among them %s and %s: name one", option,
                     name, file, other);
  if (!file) return not_found(profile, name, option, error);
  *subject = (struct subject){.file = file};
  return 0;
}

int subject_find(const struct profile *profile, const char *name, const char *option,
                 struct subject *subject, struct error *error) {
  if (!*name) return is_empty(option, "a function or source file", error);
  if (find_functions(profile, name, subject) == 0) return 0;
  return find_file(profile, name, option, subject, error);
}

void subject_free(struct subject *subject) {
  free(subject->groups);
  free(subject->ids);
  *subject = (struct subject){0};
}
