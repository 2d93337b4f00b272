/* ascribe csc: run CHICKEN's compiler with an extension that makes procedures enter contexts. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/chicken_link.h"
#include "cli/commands.h"
#include "cli/option_tables.h"
#include "cli/shown_command.h"
#include "instrument/wrapper/support_files.h"
#include "instrument/wrapper/words.h"

struct request {
  bool counts, expressions, explain, traces;
  bool is_static, with_libc; /* CHICKEN is to be linked into the program, and libc, too */
  bool has_runtime;          /* among the words for the linker */
  struct words command;      /* the first word is the compiler */
};

static void note_for_linker(struct request *request, const char *words) {
  request->with_libc |= strstr(words, "-static") != NULL;
  request->has_runtime |= strstr(words, "--wrap=C_trace") != NULL;
}

static void read_arguments(struct request *request, int count, char **arguments) {
  for (int i = 1; i < count; i++) {
    if (strcmp(arguments[i], "--counts") == 0)
      request->counts = true;
    else if (strcmp(arguments[i], "--expressions") == 0)
      request->expressions = true;
    else if (strcmp(arguments[i], "--ascribe-explain") == 0)
      request->explain = true;
    else
      words_add(&request->command, arguments[i]);
    if (strcmp(arguments[i], "-debug-level") == 0 || strcmp(arguments[i], "-d2") == 0 ||
        strcmp(arguments[i], "-d3") == 0)
      request->traces = true;
    if (i > 1 && strcmp(arguments[i - 1], "-L") == 0)
      note_for_linker(request, arguments[i]);
    else if (strcmp(arguments[i], "-static") == 0)
      request->is_static = true;
  }
}

/* Nothing can be loaded beside CHICKEN's own code then. */
static void add_runtime(struct request *request) {
  char words[CHICKEN_LINK_BYTES];
  if (!request->is_static || request->has_runtime || chicken_link_words(request->with_libc, words))
    return;
  words_add(&request->command, "-L");
  words_add(&request->command, words);
}

static void add_feature(struct request *request, bool wanted, const char *name) {
  if (!wanted) return;
  words_add(&request->command, "-feature");
  words_add(&request->command, name);
}

/* The extension names the header that goes with it. */
static int add_extension(struct request *request) {
  char extension[PATH_MAX], include[PATH_MAX];
  if (support_file_find(SUPPORT_CHICKEN, extension, sizeof extension) != 0) {
    fputs("ascribe: " SUPPORT_CHICKEN " is not found; reinstall Ascribe, or set "
          "ASCRIBE_SUPPORT_DIR to the directory that holds it\n",
          stderr);
    return -1;
  }
  words_add(&request->command, "-extend");
  words_add(&request->command, extension);
  if (!request->traces) words_add(&request->command, "-no-trace");
  add_feature(request, request->counts, "ascribe-counts");
  add_feature(request, request->expressions, "ascribe-expressions");
  if (support_include_find(include, sizeof include) == 0)
    setenv("ASCRIBE_INCLUDE", include, true);
  else
    unsetenv("ASCRIBE_INCLUDE");
  return 0;
}

/* Debian has CHICKEN's under both names; another csc may be Mono's. */
static int run(struct words *command, const char *named) {
  execvp(command->items[0], command->items);
  if (errno == ENOENT && !named) {
    free(command->items[0]);
    command->items[0] = strdup("csc");
    if (command->items[0]) execvp("csc", command->items);
  }
  fprintf(stderr, "ascribe: cannot run CHICKEN's compiler %s: %s; ASCRIBE_CSC names another\n",
          command->items[0], strerror(errno));
  return errno == ENOENT ? 127 : 126;
}

int command_csc(int count, char **arguments) {
  const char *named = getenv("ASCRIBE_CSC");
  struct request request = {0};
  if (named && !*named) named = NULL;
  if (count == 2 && strcmp(arguments[1], "--help") == 0) {
    puts(options_csc.usage);
    fflush(stdout);
  }
  words_add(&request.command, named ? named : "chicken-csc");
  read_arguments(&request, count, arguments);
  int status = add_extension(&request);
  add_runtime(&request);
  if (status == 0 && request.explain)
    shown_command_print(&request.command);
  else if (status == 0)
    status = run(&request.command, named);
  words_free(&request.command);
  return status < 0 ? 1 : status;
}
