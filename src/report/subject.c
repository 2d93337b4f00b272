#include "report/subject.h"

#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

bool function_has_name(const struct profile_function *function, const char *name) {
  size_t length = strlen(name);
  return strcmp(function->name, name) == 0 ||
         (function->linkage && strcmp(function->linkage, name) == 0) ||
         (strncmp(function->name, name, length) == 0 && function->name[length] == '(');
}

/* Behind the signs of an operator ("operator<<", "operator()") that begins at `at`. */
static size_t behind_operator(const char *name, size_t at) {
  static const char word[] = "operator";
  if (strncmp(name + at, word, sizeof word - 1) != 0) return at;
  at += sizeof word - 1;
  if (strncmp(name + at, "()", 2) == 0) return at + 2;
  return at + strspn(name + at, "<>=!-+*/%^&|~,[]");
}

/* Where the parameters of a demangled name begin: the last bracket on the outermost level, which
 * is neither that of an operator nor that of "(anonymous namespace)". */
static size_t parameters_at(const char *name) {
  size_t length = strlen(name), found = length;
  int depth = 0;
  for (size_t i = behind_operator(name, 0); i < length; i = behind_operator(name, i + 1)) {
    if (name[i] == '(' && depth == 0 && i > 0 && name[i - 1] != ':' && name[i - 1] != ' ')
      found = i;
    if (strchr("(<{", name[i])) depth++;
    if (strchr(")>}", name[i]) && depth > 0) depth--;
  }
  return found;
}

/* The length of a name up to `end` without template arguments at its end. */
static size_t without_arguments(const char *name, size_t end) {
  int depth = 0;
  if (end == 0 || name[end - 1] != '>') return end;
  for (size_t i = end; i-- > 0;) {
    if (name[i] == '>') depth++;
    if (name[i] != '<' || --depth != 0) continue;
    while (i > 0 && name[i - 1] == ' ')
      i--;
    return i;
  }
  return end;
}

/* "sort" of "void std::sort<int*>(int*, int*)". */
static bool has_last_part(const struct profile_function *function, const char *wanted) {
  const char *name = function->name;
  size_t end = without_arguments(name, parameters_at(name)), length = strlen(wanted);
  if (length > end || strncmp(name + end - length, wanted, length) != 0) return false;
  return length == end || name[end - length - 1] == ':' || name[end - length - 1] == ' ';
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

static int find_functions(const struct profile *profile, const char *name,
                          struct subject *subject) {
  static bool (*const matches[])(const struct profile_function *,
                                 const char *) = {function_has_name, has_last_part};
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

int subject_find_functions(const struct profile *profile, const char *name, const char *option,
                           struct subject *subject, struct error *error) {
  if (find_functions(profile, name, subject) == 0) return 0;
  return error_set(error, "%s %s: no such function in the profile; see ascribe report --flat",
                   option, name);
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
  if (!file)
    return error_set(error,
                     "%s %s: no such function or source file in the profile; see ascribe report "
                     "--lines",
                     option, name);
  *subject = (struct subject){.file = file};
  return 0;
}

int subject_find(const struct profile *profile, const char *name, const char *option,
                 struct subject *subject, struct error *error) {
  if (find_functions(profile, name, subject) == 0) return 0;
  return find_file(profile, name, option, subject, error);
}

void subject_free(struct subject *subject) {
  free(subject->groups);
  free(subject->ids);
  *subject = (struct subject){0};
}
