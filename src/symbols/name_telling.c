#include "symbols/name_telling.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Beyond these differences are not looked for. */
enum { MOST_ARGUMENTS = 12, MOST_DEPTH = 12, BRIEF_BYTES = 512 };

struct subject {
  struct name_part piece;    /* the name, or an argument of it: what is looked at */
  struct name_part argument; /* of the piece: what tells so far */
  char *brief;               /* of the argument, or of the name at first */
  struct name_part *telling;
};

/* ---- order ---- */

static int compare_parts(struct name_part a, struct name_part b) {
  size_t least = a.length < b.length ? a.length : b.length;
  int order = least ? memcmp(a.text, b.text, least) : 0;
  return order ? order : (a.length > b.length) - (a.length < b.length);
}

static int by_text(const void *left, const void *right) {
  const struct name_part *a = left, *b = right;
  return compare_parts(*a, *b);
}

static int by_brief(const void *left, const void *right) {
  const struct subject *a = left, *b = right;
  int order = strcmp(a->brief, b->brief);
  return order ? order : compare_parts(a->argument, b->argument);
}

/* ---- arguments ---- */

static size_t add_arguments(struct name_part inside, struct name_part *arguments, size_t count) {
  int depth = 0;
  const char *begin = inside.text, *end = inside.text + inside.length;
  for (const char *at = begin; count < MOST_ARGUMENTS; at++) {
    if (at == end || (depth == 0 && *at == ',')) {
      while (begin < at && *begin == ' ')
        begin++;
      arguments[count++] = (struct name_part){begin, (size_t)(at - begin)};
      begin = at + 1;
    }
    if (at == end) break;
    if (strchr("(<{[", *at)) depth++;
    if (strchr(")>}]", *at) && depth > 0) depth--;
  }
  return count;
}

/* Finds the arguments in all outermost brackets, and last what follows parameters that end the
 * piece. */
static void find_arguments(struct name_part piece, struct name_part arguments[MOST_ARGUMENTS]) {
  struct name_part inside;
  size_t count = 0, at = 0;
  memset(arguments, 0, MOST_ARGUMENTS * sizeof *arguments);
  while (name_group(piece, &at, &inside)) {
    count = add_arguments(inside, arguments, count);
    if (inside.text[-1] == '(' && at < piece.length && piece.text[at] == ' ')
      arguments[MOST_ARGUMENTS - 1] = (struct name_part){piece.text + at, piece.length - at};
  }
}

/* The argument that has the most values. Returns how many. */
static size_t choose_argument(struct name_part (*arguments)[MOST_ARGUMENTS], size_t count,
                              struct name_part *column, size_t *chosen) {
  size_t most = 0;
  for (size_t k = 0; k < MOST_ARGUMENTS; k++) {
    size_t values = 1;
    for (size_t i = 0; i < count; i++)
      column[i] = arguments[i][k];
    qsort(column, count, sizeof *column, by_text);
    for (size_t i = 1; i < count; i++)
      values += compare_parts(column[i - 1], column[i]) != 0;
    if (values <= most) continue;
    most = values;
    *chosen = k;
  }
  return most;
}

/* ---- */

static char *brief_of(struct name_part part) {
  char brief[BRIEF_BYTES], *whole = memory_text_part(part.text ? part.text : "", part.length);
  name_brief(whole, brief, sizeof brief);
  free(whole);
  return memory_text(brief);
}

static void tell(struct subject *subjects, size_t count, int depth);

/* Whose arguments are written alike but for their own arguments: those that share one need another
 * to tell them; of the others an inner one tells. */
static void tell_alike(struct subject *subjects, size_t count, int depth) {
  size_t single = 0;
  for (size_t i = 0, end; i < count; i = end) {
    for (end = i + 1; end < count; end++)
      if (compare_parts(subjects[i].argument, subjects[end].argument) != 0) break;
    if (end - i == 1) {
      struct subject other = subjects[single];
      subjects[single++] = subjects[i];
      if (single - 1 < i) subjects[i] = other;
    } else {
      tell(subjects + i, end - i, depth);
    }
  }
  for (size_t i = 0; i < single; i++)
    subjects[i].piece = subjects[i].argument;
  if (single > 1) tell(subjects, single, depth);
}

/* All have the same brief piece. */
static void tell(struct subject *subjects, size_t count, int depth) {
  if (depth >= MOST_DEPTH) return;
  struct name_part(*arguments)[MOST_ARGUMENTS] = memory_resized(NULL, count, sizeof *arguments);
  struct name_part *column = memory_resized(NULL, count, sizeof *column);
  size_t chosen = 0;
  for (size_t i = 0; i < count; i++)
    find_arguments(subjects[i].piece, arguments[i]);
  size_t values = choose_argument(arguments, count, column, &chosen);
  for (size_t i = 0; values > 1 && i < count; i++) {
    struct subject *one = &subjects[i];
    one->argument = *one->telling = arguments[i][chosen];
    free(one->brief);
    one->brief = brief_of(one->argument);
  }
  free(arguments);
  free(column);
  if (values < 2) return;
  qsort(subjects, count, sizeof *subjects, by_brief);
  for (size_t i = 0, end; i < count; i = end) {
    for (end = i + 1; end < count; end++)
      if (strcmp(subjects[i].brief, subjects[end].brief) != 0) break;
    if (end - i > 1) tell_alike(subjects + i, end - i, depth + 1);
  }
}

static void tell_all(struct subject *subjects, size_t count) {
  qsort(subjects, count, sizeof *subjects, by_brief);
  for (size_t i = 0, end; i < count; i = end) {
    for (end = i + 1; end < count; end++)
      if (strcmp(subjects[i].brief, subjects[end].brief) != 0) break;
    if (end - i > 1) tell(subjects + i, end - i, 0);
  }
}

void names_tell(const char *const *names, size_t count, struct name_part *telling) {
  memset(telling, 0, count * sizeof *telling);
  struct subject *subjects = memory_zeroed(count, sizeof *subjects);
  for (size_t i = 0; i < count; i++) {
    struct name_part whole = {names[i], strlen(names[i])};
    const char *start = name_qualified(names[i]).text;
    struct name_part piece = {start, whole.length - (size_t)(start - names[i])};
    subjects[i] = (struct subject){piece, {0}, brief_of(whole), &telling[i]};
  }
  tell_all(subjects, count);
  for (size_t i = 0; i < count; i++)
    free(subjects[i].brief);
  free(subjects);
}
