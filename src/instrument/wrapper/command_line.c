#include "instrument/wrapper/command_line.h"

#include <string.h>

#include "instrument/wrapper/response_file.h"
#include "instrument/wrapper/words.h"

/* gcc's options whose argument is the next word. */
static const char *const with_argument[] = {
    "-o",
    "-x",
    "-I",
    "-D",
    "-U",
    "-L",
    "-u",
    "-z",
    "-T",
    "-e",
    "-A",
    "-B",
    "-V",
    "-b",
    "-J",
    "-MF",
    "-MT",
    "-MQ",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-isysroot",
    "-imultilib",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xclang",
    "-aux-info",
    "-wrapper",
    "--param",
    "-dumpdir",
    "-dumpbase",
    "-dumpbase-ext",
    "-specs",
    "-target",
    "--sysroot",
    "-arch",
    "-mllvm",
    "-G",
    "-h",
};

/* gcc's own long spellings (its driver's option list). */
static const struct {
  const char *spelled, *same_as;
} long_spellings[] = {
    {"--compile", "-c"},
    {"--assemble", "-S"},
    {"--preprocess", "-E"},
    {"--dependencies", "-M"},
    {"--user-dependencies", "-MM"},
    {"--shared", "-shared"},
    {"--static", "-static"},
    {"--static-pie", "-static-pie"},
    {"--no-standard-libraries", "-nostdlib"},
    {"--output", "-o"},
    {"--language", "-x"},
    {"--include", "-include"},
    {"--imacros", "-imacros"},
    {"--include-directory", "-I"},
    {"--include-directory-after", "-idirafter"},
    {"--include-prefix", "-iprefix"},
    {"--include-with-prefix", "-iwithprefix"},
    {"--include-with-prefix-after", "-iwithprefix"},
    {"--include-with-prefix-before", "-iwithprefixbefore"},
    {"--define-macro", "-D"},
    {"--undefine-macro", "-U"},
    {"--library-directory", "-L"},
    {"--for-linker", "-Xlinker"},
    {"--for-assembler", "-Xassembler"},
    {"--force-link", "-u"},
    {"--entry", "-e"},
    {"--assert", "-A"},
    {"--prefix", "-B"},
    {"--specs", "-specs"},
};

static const char *short_spelling(const char *word) {
  for (size_t i = 0; i < sizeof long_spellings / sizeof long_spellings[0]; i++)
    if (strcmp(word, long_spellings[i].spelled) == 0) return long_spellings[i].same_as;
  return word;
}

static bool is_one_of(const char *word, const char *const *list, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(word, list[i]) == 0) return true;
  return false;
}
#define IS_ONE_OF(word, list) is_one_of(word, list, sizeof(list) / sizeof((list)[0]))

static bool ends_with(const char *word, const char *const *endings, size_t count) {
  const char *dot = strrchr(word, '.');
  return dot && is_one_of(dot, endings, count);
}

/* Objects and assembly; everything else that is named may be source. */
static bool is_machine_code(const char *file) {
  static const char *const endings[] = {".o", ".a", ".so", ".lo", ".la", ".s", ".S", ".sx", ".obj"};
  if (strstr(file, ".so.")) return true;
  return ends_with(file, endings, sizeof(endings) / sizeof(endings[0]));
}

static bool is_header(const char *file) {
  static const char *const endings[] = {".h", ".H", ".hh", ".hp", ".hpp", ".hxx", ".h++", ".tcc"};
  return ends_with(file, endings, sizeof(endings) / sizeof(endings[0]));
}

/* `language` is the argument of the last -x, or null. */
static void read_input(struct command_line *read, const char *file, const char *language) {
  read->has_input = true;
  if (language && strcmp(language, "none") != 0) {
    if (strncmp(language, "assembler", 9) != 0) read->has_source = true;
    if (strstr(language, "-header")) read->links = false;
    return;
  }
  if (!is_machine_code(file)) read->has_source = true;
  if (is_header(file)) read->links = false;
}

/* -g, -g3, -ggdb, -gdwarf-5...; -g0 takes back, and -gno-column-info and the like say no more. */
static void read_debug(struct command_line *read, const char *option) {
  size_t length = strlen(option);
  if (strncmp(option, "-gno-", 5) == 0) return;
  if (strncmp(option, "-grecord-", 9) == 0 || strncmp(option, "-gz", 3) == 0) return;
  read->debug = length < 3 || option[length - 1] != '0' || strncmp(option, "-gdwarf", 7) == 0;
}

static bool intercepts_threads(const char *sanitizers) {
  static const char *const names[] = {"address", "leak", "memory", "thread"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strstr(sanitizers, names[i])) return true;
  return false;
}

static void read_option(struct command_line *read, const char *option) {
  static const char *const stop_early[] = {"-c", "-S", "-fsyntax-only"};
  static const char *const preprocess[] = {"-E", "-M", "-MM"};
  static const char *const foreign[] = {"-m32", "-mx32", "-m16"};
  static const char *const no_start[] = {"-nostdlib", "-nostartfiles"};
  if (IS_ONE_OF(option, stop_early)) {
    read->links = false;
  } else if (IS_ONE_OF(option, preprocess)) {
    read->preprocess_only = true;
    read->links = false;
  } else if (IS_ONE_OF(option, foreign)) {
    read->foreign_machine = true;
  } else if (strcmp(option, "-m64") == 0) {
    read->foreign_machine = false;
  } else if (IS_ONE_OF(option, no_start)) {
    read->no_start_files = true;
  } else if (strcmp(option, "-ffreestanding") == 0) {
    read->freestanding = true;
  } else if (strcmp(option, "-shared") == 0) {
    read->shared = true;
  } else if (strcmp(option, "-static") == 0 || strcmp(option, "-static-pie") == 0) {
    read->static_program = true;
  } else if (strcmp(option, "-flto") == 0 || strncmp(option, "-flto=", 6) == 0) {
    read->link_time = true;
  } else if (strcmp(option, "-fno-lto") == 0) {
    read->link_time = false;
  } else if (strncmp(option, "-fsanitize=", 11) == 0) {
    read->intercepts |= intercepts_threads(option + 11);
  } else if (strcmp(option, "-r") == 0) {
    read->relocatable = true;
  } else if (option[1] == 'g' || strcmp(option, "--debug") == 0) {
    read_debug(read, option);
  } else if (strncmp(option, "-l", 2) == 0) {
    read->has_input = true;
  }
}

static void read_words(struct command_line *read, const struct words *words) {
  const char *language = NULL;
  bool version_script = false;
  read->links = true;
  for (size_t i = 0; i < words->count; i++) {
    const char *word = short_spelling(words->items[i]);
    if (strstr(word, "-version-script")) version_script = true; /* in -Wl, or after -Xlinker */
    if (word[0] != '-' || !word[1]) {
      read_input(read, word, language);
      continue;
    }
    if (strncmp(word, "-x", 2) == 0 && word[2]) language = word + 2;
    if (strncmp(word, "--language=", 11) == 0) language = word + 11;
    if (strcmp(word, "-x") == 0 && words->items[i + 1]) language = words->items[i + 1];
    if (IS_ONE_OF(word, with_argument))
      i++;
    else
      read_option(read, word);
  }
  if (!read->has_input) read->links = false;
  read->version_script = version_script && read->shared;
}

void command_line_read(int count, char *const *arguments, struct command_line *read) {
  struct words words = {0};
  for (int i = 0; i < count; i++)
    response_file_expand(&words, arguments[i]);
  *read = (struct command_line){0};
  read_words(read, &words);
  words_free(&words);
}
