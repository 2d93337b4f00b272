#include "exchange/import.h"

#include <string.h>

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

int import_profile(const char *path, const struct import_format *format,
                   const struct import_options *options, struct profile **profile,
                   struct error *error) {
  struct input input;
  if (input_open(&input, path, error) != 0) return -1;
  if (!format) format = guess(&input);
  int result;
  if (input.failure)
    result = error_set(error, "%s cannot be read: %s", input.name, strerror(input.failure));
  else if (!format)
    result = error_set(error, "%s %s", input.name, what_to_do(&input));
  else if (options->executable && !format->takes_executable)
    result =
        error_set(error, "%s: --executable is for gmon.out and counts of source (gcov, llvm-cov)",
                  input.name);
  else
    result = format->read(&input, options, profile, error);
  input_close(&input);
  return result;
}
