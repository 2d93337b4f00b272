/* The symbols of real objects, beside what nm and addr2line say of them.
 * Usage: symbols SUBJECT, a program made of symbols_subject.cc. */
#include "symbols/symbols.h"

#include <stdarg.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "check.h"
#include "recording_fixture.h"
#include "symbols/source_path.h"

/* ---- what the other tools say ---- */

struct oracle {
  struct oracle_symbol {
    uint64_t address, size;
    char name[512];
  } * symbols;
  size_t count;
};

static FILE *run(const char *format, const char *argument) {
  char command[2000];
  snprintf(command, sizeof command, format, argument);
  FILE *output = popen(command, "r");
  if (!output) {
    perror("popen");
    exit(1);
  }
  return output;
}

static void run_to_end(const char *format, ...) {
  char command[4000];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(command, sizeof command, format, arguments);
  va_end(arguments);
  if (system(command) != 0) {
    printf("failed: %s\n", command);
    exit(1);
  }
}

/* A constructor that the compiler adds where it sanitizes: some versions' units have no such code
 * among their addresses, though lines for it. */
static int is_of_sanitizer(const char *name) {
  return strncmp(name, "_sub_", 5) == 0;
}

/* Sized functions by nm, sorted by address. */
static struct oracle ask_nm(const char *path, int dynamic) {
  struct oracle oracle = {0};
  size_t capacity = 0;
  FILE *output = run(dynamic ? "nm -nSD --defined-only --without-symbol-versions '%s'"
                             : "nm -nS --defined-only '%s'",
                     path);
  char line[1000];
  while (fgets(line, sizeof line, output)) {
    struct oracle_symbol symbol;
    char kind;
    if (sscanf(line, "%" SCNx64 " %" SCNx64 " %c %511s", &symbol.address, &symbol.size, &kind,
               symbol.name) != 4 ||
        !strchr("TtWwi", kind) || symbol.size == 0 || is_of_sanitizer(symbol.name))
      continue;
    if (oracle.count == capacity)
      oracle.symbols =
          realloc(oracle.symbols, (capacity = capacity * 2 + 64) * sizeof *oracle.symbols);
    oracle.symbols[oracle.count++] = symbol;
  }
  pclose(output);
  return oracle;
}

/* Whether nm has this name at this address. */
static int nm_knows(const struct oracle *oracle, const struct symbol *symbol) {
  for (size_t i = 0; i < oracle->count; i++)
    if (oracle->symbols[i].address == symbol->address &&
        strcmp(oracle->symbols[i].name, symbol->linkage) == 0)
      return 1;
  return 0;
}

static size_t agrees_with_nm(struct symbol_file *file, const struct oracle *oracle) {
  size_t compared = 0;
  for (size_t i = 0; i < oracle->count; i++) {
    const struct oracle_symbol *expected = &oracle->symbols[i];
    struct symbol symbol;
    CHECK_EQUAL(symbol_file_function(file, expected->address, &symbol), 0);
    CHECK_EQUAL(symbol.address, expected->address);
    CHECK(nm_knows(oracle, &symbol));
    uint64_t last = expected->address + expected->size - 1;
    CHECK_EQUAL(symbol_file_function(file, last, &symbol), 0);
    CHECK(symbol.address >= expected->address && last - symbol.address < symbol.size);
    compared++;
  }
  return compared;
}

/* Compare the lines at the start, in the middle and at the end of each function. Some versions of
 * addr2line name the file of the unit where the line is in a header: a tenth may differ so. */
static size_t agrees_with_addr2line(struct symbol_file *file, const char *path,
                                    const struct oracle *oracle) {
  char addresses[] = "/tmp/ascribe-addresses-XXXXXX";
  int descriptor = mkstemp(addresses);
  FILE *list = fdopen(descriptor, "w");
  for (size_t i = 0; i < oracle->count; i++)
    for (unsigned k = 0; k < 3; k++)
      fprintf(list, "0x%" PRIx64 "\n",
              oracle->symbols[i].address + (oracle->symbols[i].size - 1) * k / 2);
  fclose(list);
  char command[1000], line[5000];
  snprintf(command, sizeof command, "addr2line -e '%%s' < %s", addresses);
  FILE *output = run(command, path);
  size_t compared = 0, other_files = 0;
  for (size_t i = 0; i < oracle->count * 3 && fgets(line, sizeof line, output); i++) {
    const struct oracle_symbol *symbol = &oracle->symbols[i / 3];
    uint64_t address = symbol->address + (symbol->size - 1) * (i % 3) / 2;
    char *colon = strrchr(line, ':');
    unsigned number = colon ? (unsigned)strtoul(colon + 1, NULL, 10) : 0;
    if (number == 0) continue;
    *colon = '\0';
    source_path_normalise(line);
    struct source_position position = {0};
    CHECK_EQUAL(symbol_file_line(file, address, &position), 0);
    if (position.line != number || !position.file) {
      printf("0x%" PRIx64 ": %s:%u, addr2line: %s:%u\n", address,
             position.file ? position.file : "?", position.line, line, number);
      checks_failed++;
    }
    other_files += position.file && strcmp(position.file, line) != 0;
    compared++;
  }
  CHECK(other_files <= compared / 10);
  pclose(output);
  unlink(addresses);
  return compared;
}

/* ---- the subject ---- */

static struct symbol function_named(struct symbol_file *file, const struct oracle *oracle,
                                    const char *part) {
  struct symbol symbol = {.name = "", .linkage = ""};
  for (size_t i = 0; i < oracle->count; i++)
    if (strstr(oracle->symbols[i].name, part)) {
      CHECK_EQUAL(symbol_file_function(file, oracle->symbols[i].address, &symbol), 0);
      return symbol;
    }
  printf("nm does not know %s\n", part);
  checks_failed++;
  return symbol;
}

static void knows_the_subject(struct symbols *symbols, const char *path) {
  struct symbol_file *file = symbols_file(symbols, path, NULL, 0);
  CHECK_EQUAL(symbol_file_state(file), SYMBOLS_FULL);
  CHECK_TEXT(symbol_file_message(file), "");
  struct oracle oracle = ask_nm(path, 0);
  CHECK(agrees_with_nm(file, &oracle) > 8);
  CHECK(agrees_with_addr2line(file, path, &oracle) > 20);

  struct symbol water = function_named(file, &oracle, "_ZN6garden5waterERKNS_3BedIiEEi");
  CHECK_TEXT(water.name, "garden::water(garden::Bed<int> const&, int)");
  CHECK_EQUAL(water.line, 19);
  CHECK_CONTAINS(water.file, "tests/unit/symbols_subject.cc");
  struct symbol sum = function_named(file, &oracle, "3sumEv");
  CHECK_TEXT(sum.name, "garden::Bed<int>::sum() const");
  CHECK_EQUAL(sum.line, 11);
  struct symbol original = function_named(file, &oracle, "original");
  CHECK_TEXT(original.name, "original");
  struct symbol two_lines = function_named(file, &oracle, "definition_on_two_lines");
  CHECK_EQUAL(two_lines.line, 62 /* not that of the brace */);

  struct symbol sized = function_named(file, &oracle, "sized_assembly"), symbol;
  CHECK_EQUAL(sized.size, 3);
  CHECK_EQUAL(symbol_file_function(file, sized.address + 1, &symbol), 0);
  CHECK_TEXT(symbol.name, "sized_assembly");
  CHECK_EQUAL(symbol_file_function(file, sized.address + 4, &symbol), 0);
  CHECK_TEXT(symbol.name, "unsized_assembly");
  CHECK_EQUAL(symbol.size, 3);
  CHECK_EQUAL(symbol_file_function(file, sized.address + 6, &symbol), 0);
  CHECK_TEXT(symbol.name, "after_unsized");

  CHECK_EQUAL(symbol_file_function(file, 0, &symbol), -1);
  CHECK_EQUAL(symbol_file_function(file, UINT64_MAX, &symbol), -1);
  struct source_position position;
  CHECK_EQUAL(symbol_file_line(file, sized.address, &position), -1 /* not that before it */);
  CHECK_EQUAL(symbol_file_line(file, 0, &position), -1);
  CHECK_EQUAL(symbol_file_address(file, 1ull << 60), 0);
  free(oracle.symbols);
}

/* Stubs by objdump: "0000000000001030 <atoi@plt>:" */
static void names_the_stubs(struct symbols *symbols, const char *path) {
  struct symbol_file *file = symbols_file(symbols, path, NULL, 0);
  FILE *output = run("objdump -d --section=.plt --section=.plt.sec --section=.plt.got '%s' "
                     "2>/dev/null",
                     path);
  char line[1000], name[500];
  uint64_t address;
  size_t compared = 0;
  while (fgets(line, sizeof line, output)) {
    if (sscanf(line, "%" SCNx64 " <%499[^>]>:", &address, name) != 2 || strchr(name, '*') ||
        !strstr(name, "@plt") || strstr(name, "@plt")[4])
      continue;
    struct symbol symbol;
    CHECK_EQUAL(symbol_file_function(file, address, &symbol), 0);
    CHECK_TEXT(symbol.linkage, name);
    compared++;
  }
  pclose(output);
  CHECK(compared > 3);
}

static void offsets_become_addresses(struct symbols *symbols, const char *path) {
  struct symbol_file *file = symbols_file(symbols, path, NULL, 0);
  FILE *output = run("readelf -lW '%s'", path);
  char line[1000];
  size_t compared = 0;
  uint64_t offset, address, physical, bytes;
  while (fgets(line, sizeof line, output)) {
    if (sscanf(line, " LOAD %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64, &offset, &address,
               &physical, &bytes) != 4)
      continue;
    CHECK_EQUAL(symbol_file_address(file, offset + bytes / 2), address + bytes / 2);
    compared++;
  }
  pclose(output);
  CHECK(compared >= 2);
}

/* ---- other states of one program ---- */

static void make_variants(const char *subject, const char *directory) {
  run_to_end("cp '%s' %s/whole", subject, directory);
  run_to_end("strip -g -o %s/names '%s'", directory, subject);
  run_to_end("strip -s -o %s/stripped '%s'", directory, subject);
  run_to_end("objcopy --compress-debug-sections '%s' %s/compressed", subject, directory);
  run_to_end("objcopy --only-keep-debug '%s' %s/linked.debug", subject, directory);
  run_to_end("strip -s -o %s/linked '%s' && cd %s && objcopy --add-gnu-debuglink=linked.debug "
             "linked",
             directory, subject, directory);
  run_to_end("head -c 3000 '%s' > %s/cut", subject, directory);
  run_to_end("echo no object > %s/text", directory);
}

static struct symbol_file *variant(struct symbols *symbols, const char *directory,
                                   const char *name) {
  char path[500];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  return symbols_file(symbols, path, NULL, 0);
}

static void expect_state(struct symbols *symbols, const char *directory, const char *name,
                         enum symbol_file_state state, const char *message) {
  struct symbol_file *file = variant(symbols, directory, name);
  if (symbol_file_state(file) != state) printf("%s: ", name);
  CHECK_EQUAL(symbol_file_state(file), state);
  CHECK_CONTAINS(symbol_file_message(file), message);
  CHECK(strchr(symbol_file_message(file), '\n') == NULL);
}

static void knows_what_is_missing(struct symbols *symbols, const char *subject) {
  char *directory = fixture_directory();
  make_variants(subject, directory);
  struct oracle oracle = ask_nm(subject, 0), exported = ask_nm(subject, 1);
  expect_state(symbols, directory, "whole", SYMBOLS_FULL, "");
  expect_state(symbols, directory, "compressed", SYMBOLS_FULL, "");
  expect_state(symbols, directory, "linked", SYMBOLS_FULL, "");
  expect_state(symbols, directory, "names", SYMBOLS_NAMES, "no debug information");
  expect_state(symbols, directory, "stripped", exported.count ? SYMBOLS_EXPORTED : SYMBOLS_NONE,
               exported.count ? "is stripped" : "has no symbols");
  expect_state(symbols, directory, "text", SYMBOLS_NONE, "is not an ELF object");
  expect_state(symbols, directory, "absent", SYMBOLS_MISSING, "No such file");
  expect_state(symbols, directory, ".", SYMBOLS_MISSING, "not a regular file");
  struct symbol symbol;
  CHECK_EQUAL(symbol_file_function(variant(symbols, directory, "cut"), 0x1000, &symbol), -1);

  agrees_with_nm(variant(symbols, directory, "names"), &oracle);
  agrees_with_nm(variant(symbols, directory, "linked"), &oracle);
  agrees_with_nm(variant(symbols, directory, "stripped"), &exported);
  agrees_with_addr2line(variant(symbols, directory, "compressed"), subject, &oracle);
  agrees_with_addr2line(variant(symbols, directory, "linked"), subject, &oracle);
  free(oracle.symbols);
  free(exported.symbols);
  fixture_remove(directory);
}

static void notices_a_changed_file(struct symbols *symbols, const char *subject) {
  uint8_t wrong[20] = {1};
  struct symbol_file *file = symbols_file(symbols, subject, wrong, sizeof wrong);
  CHECK_EQUAL(symbol_file_state(file), SYMBOLS_CHANGED);
  CHECK_CONTAINS(symbol_file_message(file), "has changed since the recording");
  CHECK(symbols_file(symbols, subject, wrong, sizeof wrong) == file);
  CHECK(symbols_file(symbols, subject, NULL, 0) != file);
  struct symbol symbol;
  CHECK_EQUAL(symbol_file_function(file, 0x1000, &symbol), -1);
}

static void opens_the_kernels_object(struct symbols *symbols) {
  if (getauxval(AT_SYSINFO_EHDR)) {
    struct symbol_file *file = symbols_file(symbols, "[vdso]", NULL, 0);
    CHECK_EQUAL(symbol_file_state(file), SYMBOLS_EXPORTED);
    CHECK_TEXT(symbol_file_message(file), "");
    CHECK_EQUAL(symbol_file_address(file, 0x100), 0x100);
    uint8_t other[20] = {1};
    file = symbols_file(symbols, "[vdso]", other, sizeof other);
    CHECK_EQUAL(symbol_file_state(file), SYMBOLS_MISSING);
    CHECK_CONTAINS(symbol_file_message(file), "this kernel has another");
  }
  struct symbol_file *file = symbols_file(symbols, "[vsyscall]", NULL, 0);
  CHECK_EQUAL(symbol_file_state(file), SYMBOLS_MISSING);
  CHECK_CONTAINS(symbol_file_message(file), "provided by the kernel");
}

static void reads_jit_maps(struct symbols *symbols) {
  uint32_t pid = (uint32_t)getpid();
  char path[64];
  snprintf(path, sizeof path, "/tmp/perf-%u.map", pid);
  CHECK(symbols_jit(symbols, pid) == NULL);
  struct symbols *later = symbols_create();
  FILE *map = fopen(path, "w");
  fputs("7f0000001000 40 LazyCompile:~add script.js:1\nnonsense\n"
        "7f0000002000 10 old\n7f0000002000 20 new name with blanks\n"
        "ffffffffffffffff 20 wraps\n7f0000003000 0 empty\n12 \n",
        map);
  fclose(map);
  struct symbol_file *file = symbols_jit(later, pid);
  CHECK(file != NULL);
  CHECK(symbols_jit(later, pid) == file);
  struct symbol symbol;
  uint64_t address = symbol_file_address(file, 0x7f000000103f);
  CHECK_EQUAL(symbol_file_function(file, address, &symbol), 0);
  CHECK_TEXT(symbol.name, "LazyCompile:~add script.js:1");
  CHECK_EQUAL(symbol_file_function(file, 0x7f0000001040, &symbol), -1);
  CHECK_EQUAL(symbol_file_function(file, 0x7f0000002001, &symbol), 0);
  CHECK_TEXT(symbol.name, "new name with blanks");
  CHECK_EQUAL(symbol_file_function(file, 0x7f0000003000, &symbol), -1);
  unlink(path);
  symbols_free(later);
}

/* A program that need not be there. */
static void agrees_on(struct symbols *symbols, const char *path, int dynamic, size_t least) {
  if (access(path, R_OK) != 0) return;
  struct symbol_file *file = symbols_file(symbols, path, NULL, 0);
  struct oracle oracle = ask_nm(path, dynamic);
  CHECK(agrees_with_nm(file, &oracle) >= least);
  if (symbol_file_state(file) == SYMBOLS_FULL)
    CHECK(agrees_with_addr2line(file, path, &oracle) >= least);
  free(oracle.symbols);
}

int main(int count, char **arguments) {
  if (count != 2) {
    printf("usage: symbols SUBJECT\n");
    return 2;
  }
  struct symbols *symbols = symbols_create();
  knows_the_subject(symbols, arguments[1]);
  names_the_stubs(symbols, arguments[1]);
  offsets_become_addresses(symbols, arguments[1]);
  agrees_on(symbols, arguments[0], 0, 50);
  agrees_on(symbols, "/usr/bin/python3", 1, 500);
  knows_what_is_missing(symbols, arguments[1]);
  notices_a_changed_file(symbols, arguments[1]);
  opens_the_kernels_object(symbols);
  reads_jit_maps(symbols);
  symbols_free(symbols);
  return check_result();
}
