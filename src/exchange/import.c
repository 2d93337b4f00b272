#include "exchange/import.h"

#include <string.h>

#include "exchange/ghc_run.h"
#include "exchange/import_formats.h"

#define ADDRESS_OF(name) &import_##name,
const struct import_format *const import_formats[] = {IMPORT_FORMATS(ADDRESS_OF) NULL};

const struct import_format *import_format_named(const char *name) {
  for (size_t i = 0; import_formats[i]; i++)
    if (strcmp(import_formats[i]->name, name) == 0) return import_formats[i];
  return NULL;
}

static const struct import_format *guess(struct input *input) {
  enum { ENOUGH_TO_TELL = 1 << 14 };
  const char *start;
  size_t count = input_peek(input, ENOUGH_TO_TELL, &start);
  for (size_t i = 0; import_formats[i]; i++)
    if (count && import_formats[i]->matches(start, count)) return import_formats[i];
  return NULL;
}

/* The files that gcov and llvm-cov read themselves begin so, on machines of this byte order. */
static const char *what_to_do(struct input *input) {
  static const struct {
    const char *start, *advice;
  } known[] = {
      {"adcg", "is gcov's internal file: run gcov --json-format and import the result"},
      {"oncg", "is gcov's internal file: run gcov --json-format and import the result"},
      {"\201rforpl", "is LLVM's internal file: run llvm-cov export and import the result"},
      {"\377lprofi", "is LLVM's internal file: run llvm-cov export and import the result"},
  };
  const char *start;
  size_t count = input_peek(input, 8, &start);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    size_t length = strlen(known[i].start);
    if (count >= length && memcmp(start, known[i].start, length) == 0) return known[i].advice;
  }
  return "has an unknown format: name it with --from";
}

/* ---- one file ---- */

/* The format of an open file: `format`, or where that is null, what it looks like. Null with the
 * error set. */
static const struct import_format *
format_of(struct input *input, const struct import_format *format, struct error *error) {
  if (!format) format = guess(input);
  if (input->failure)
    error_set(error, "%s cannot be read: %s", input->name, strerror(input->failure));
  else if (!format)
    error_set(error, "%s %s", input->name, what_to_do(input));
  return input->failure ? NULL : format;
}

static int import_one(const char *path, const struct import_format *format,
                      const struct import_options *options, struct profile **profile,
                      struct error *error) {
  struct input input;
  if (input_open(&input, path, error) != 0) return -1;
  format = format_of(&input, format, error);
  int result = -1;
  if (format && options->executable && !format->takes_executable)
    error_set(error, "%s: --executable is for gmon.out and counts of source (gcov, llvm-cov)",
              input.name);
  else if (format)
    result = format->read(&input, options, profile, error);
  input_close(&input);
  return result;
}

/* ---- several files of one run ---- */

struct run_files {
  struct input inputs[RUN_PARTS]; /* by part; those with a format are open */
  const struct import_format *formats[RUN_PARTS];
};

static int open_part(struct run_files *files, const char *path, const struct import_format *format,
                     struct error *error) {
  struct input input;
  if (input_open(&input, path, error) != 0) return -1;
  format = format_of(&input, format, error);
  int result = format ? 0 : -1;
  enum run_part part = format ? format->run_part : RUN_OF_NOTHING;
  if (format && !format->add)
    result =
        error_set(error, "%s is %s: only files of one run of a Haskell program are read together",
                  input.name, format->words);
  else if (format && files->formats[part])
    result = error_set(error, "%s and %s tell the same of a run: name one of them",
                       files->inputs[part].name, input.name);
  if (result != 0) {
    input_close(&input);
    return -1;
  }
  files->inputs[part] = input;
  files->formats[part] = format;
  return 0;
}

static int import_run(char *const *paths, size_t count, const struct import_format *format,
                      const struct import_options *options, struct profile **profile,
                      struct error *error) {
  struct run_files files = {.formats = {NULL}};
  struct ghc_run run;
  int result = 0;
  if (options->executable)
    return error_set(error, "--executable is for gmon.out and counts of source (gcov, llvm-cov)");
  ghc_run_open(&run);
  for (size_t i = 0; i < count && result == 0; i++)
    result = open_part(&files, paths[i], format, error);
  for (int part = 0; part < RUN_PARTS && result == 0; part++)
    if (files.formats[part]) result = files.formats[part]->add(&files.inputs[part], &run, error);
  result = ghc_run_finish(&run, paths[0], options->event, result, profile, error);
  for (int part = 0; part < RUN_PARTS; part++)
    if (files.formats[part]) input_close(&files.inputs[part]);
  return result;
}

int import_profile(char *const *paths, size_t count, const struct import_format *format,
                   const struct import_options *options, struct profile **profile,
                   struct error *error) {
  return count == 1 ? import_one(paths[0], format, options, profile, error)
                    : import_run(paths, count, format, options, profile, error);
}
