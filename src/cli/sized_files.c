#include "cli/sized_files.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/options.h"

static_assert(WORKSPACE_MOST == 9, "a message says so");

/* n=SIZE:, unless there is a file of that name. */
static bool looks_sized(const char *word) {
  const char *equals = strchr(word, '=');
  return equals && strchr(equals, ':') && access(word, F_OK) != 0;
}

static int take_sized(const char *word, double *n, const char **file) {
  const char *equals = strchr(word, '=');
  char *end;
  double size = strtod(equals + 1, &end);
  if (end == equals + 1 || *end != ':' || !isfinite(size) || size <= 0)
    return wrong_use("%s: n=SIZE:FILE needs a SIZE above 0", word);
  if (!end[1]) return wrong_use("%s: the file is missing, as in n=1000:FILE", word);
  *n = size;
  *file = end + 1;
  return 0;
}

static bool all_of_one_size(const struct sized_files *files) {
  for (size_t i = 1; i < files->count; i++)
    if (files->n[i] != files->n[0]) return false;
  return true;
}

int sized_files_take(struct sized_files *files, char **words, int count) {
  int sized = 0;
  if (count > WORKSPACE_MOST) return wrong_use("%s: at most nine profiles", words[WORKSPACE_MOST]);
  for (int i = 0; i < count; i++)
    sized += looks_sized(words[i]);
  files->sized = sized > 0;
  for (int i = 0; i < count; i++, files->count++) {
    files->files[i] = words[i];
    if (!files->sized) continue;
    if (!looks_sized(words[i]))
      return wrong_use("%s: the size is missing, as in n=1000:FILE", words[i]);
    if (take_sized(words[i], &files->n[i], &files->files[i]) != 0) return -1;
  }
  if (files->sized && all_of_one_size(files)) return wrong_use("at least two sizes are needed");
  return 0;
}

void sized_files_put_largest_first(struct sized_files *files) {
  for (size_t i = 1; i < files->count; i++) {
    if (files->n[i] <= files->n[0]) continue;
    double n = files->n[i];
    const char *file = files->files[i];
    files->n[i] = files->n[0];
    files->files[i] = files->files[0];
    files->n[0] = n;
    files->files[0] = file;
  }
}
