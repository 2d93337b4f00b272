/* ascribe scheme: run Chez Scheme with a file before the program that counts it and tells its
 * procedures (src/instrument/chez).  Without a recording: Scheme alone. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ASCRIBE_RUNTIME /* the contract only */
#include "ascribe/host.h"
#include "base/memory.h"
#include "cli/chez_cache.h"
#include "cli/commands.h"
#include "cli/option_tables.h"
#include "cli/shown_command.h"
#include "instrument/wrapper/support_files.h"
#include "instrument/wrapper/words.h"

/* Who reads it removes it. */
#define VARIABLE "ASCRIBE_SCHEME"

struct request {
  bool contexts, compiles, explain;
  const char *program;
  const char *mode; /* script, program or files: how Scheme runs what is named; or compile */
  struct words command;
  struct words objects; /* paths of files compiled ahead, among those to be loaded */
};

/* The preloaded runtime is in the process, and will be in Scheme's. */
static bool is_recorded(void) {
  return dlsym(RTLD_DEFAULT, "ascribe_host_loaded") != NULL;
}

/* Options of Scheme's that have an argument of their own. */
static bool takes_argument(const char *option) {
  static const char *const names[] = {"-b",          "--boot",       "-c",
                                      "--compact",   "--libdirs",    "--libexts",
                                      "-s",          "--saved-heap", "--optimize-level",
                                      "--eehistory", "--import-path"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(option, names[i]) == 0) return true;
  return false;
}

static bool is_object_file(const char *path) {
  static const char header[] = {0, 0, 0, 0, 'c', 'h', 'e', 'z'};
  char found[sizeof header];
  struct stat status;
  FILE *file = stat(path, &status) == 0 && S_ISREG(status.st_mode) ? fopen(path, "rbe") : NULL;
  if (!file) return false;
  bool is_object = fread(found, sizeof found, 1, file) == 1;
  fclose(file);
  return is_object && memcmp(found, header, sizeof header) == 0;
}

/* Scheme's own words up to what names the program; ours goes before that. */
static void add_arguments(struct request *request, int count, char **arguments, const char *ours) {
  int i = 0;
  for (; i < count && arguments[i][0] == '-' && arguments[i][1]; i++) {
    if (strcmp(arguments[i], "--") == 0) break;
    bool is_script = strcmp(arguments[i], "--script") == 0;
    if (is_script || strcmp(arguments[i], "--program") == 0) {
      request->mode = is_script ? "script" : "program";
      if (ours)
        words_add(&request->command, "--script");
      else
        words_add(&request->command, arguments[i]);
      i++;
      break;
    }
    words_add(&request->command, arguments[i]);
    if (takes_argument(arguments[i]) && i + 1 < count) words_add(&request->command, arguments[++i]);
  }
  if (ours) words_add(&request->command, ours);
  for (; i < count; i++) {
    if (is_object_file(arguments[i])) words_add(&request->objects, arguments[i]);
    words_add(&request->command, arguments[i]);
  }
}

/* Files to be compiled ahead. */
static void add_files(struct request *request, int count, char **arguments, const char *ours) {
  request->mode = "compile";
  words_add(&request->command, "--script");
  words_add(&request->command, ours);
  for (int i = 0; i < count; i++)
    words_add(&request->command, arguments[i]);
}

static void put_text(FILE *out, const char *text) {
  putc('"', out);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') putc('\\', out);
    putc(*text, out);
  }
  putc('"', out);
}

/* Ascribe's part is compiled for the user's cache by a Scheme that is not recorded: it is not the
 * program's time. If that fails, the program's own Scheme does it. */
static void fill_cache(const struct request *request, const char *file, const char *value) {
  char *preloaded = getenv("LD_PRELOAD"),
       *arguments[] = {(char *)request->program, "--script", (char *)file, NULL};
  posix_spawn_file_actions_t actions;
  pid_t pid;
  preloaded = preloaded ? strdup(preloaded) : NULL;
  if (setenv(VARIABLE, value, true) == 0 && posix_spawn_file_actions_init(&actions) == 0) {
    unsetenv("LD_PRELOAD");
    for (int descriptor = 0; descriptor < 3; descriptor++)
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0);
    if (posix_spawnp(&pid, request->program, &actions, NULL, arguments, environ) == 0)
      waitpid(pid, NULL, 0);
    posix_spawn_file_actions_destroy(&actions);
  }
  if (preloaded) setenv("LD_PRELOAD", preloaded, true);
  free(preloaded);
}

/* What ascribe-chez.ss is to know: see there. */
static int set_variable(const struct request *request, const char *file) {
  char *text = NULL;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  if (!out) return -1;
  char directory[PATH_MAX];
  snprintf(directory, sizeof directory, "%s", file);
  *strrchr(directory, '/') = '\0';
  fputc('(', out);
  put_text(out, directory);
  char cache[PATH_MAX], key[CHEZ_CACHE_KEY];
  if (chez_cache_find(directory, cache, key) == 0) {
    fputs(" (", out);
    put_text(out, cache);
    fprintf(out, " . \"%s\")", key);
    if (is_recorded() && chez_cache_is_empty(cache) && fflush(out) == 0) {
      char *value = memory_printed("%s cache)", text);
      fill_cache(request, file, value);
      free(value);
    }
  } else {
    fputs(" #f", out);
  }
  fprintf(out, " %s %s (version . %d) (bytes . %zu) (ahead . %d) (objects", request->mode,
          request->contexts ? "#t" : "#f", ASCRIBE_HOST_VERSION, sizeof(struct ascribe_host),
          request->compiles);
  for (size_t i = 0; i < request->objects.count; i++) {
    const char *name = strrchr(request->objects.items[i], '/');
    putc(' ', out);
    put_text(out, name ? name + 1 : request->objects.items[i]);
  }
  putc(')', out);
#define PLACE(member)                                                                              \
  fprintf(out, " (" #member " . %zu)", __builtin_offsetof(struct ascribe_host, member))
  PLACE(context), PLACE(gate), PLACE(enter), PLACE(go_on), PLACE(world), PLACE(file);
  PLACE(function), PLACE(place), PLACE(counters), PLACE(running), PLACE(own_code);
  PLACE(centre), PLACE(define_centre), PLACE(enter_centre), PLACE(function_rule);
  fputc(')', out);
  int result = fclose(out) == 0 && setenv(VARIABLE, text, true) == 0 ? 0 : -1;
  free(text);
  return result;
}

static int run(const struct request *request) {
  execvp(request->program, request->command.items);
  fprintf(stderr,
          "ascribe: cannot run Chez Scheme's %s: %s; ASCRIBE_SCHEME_PROGRAM names another\n",
          request->program, strerror(errno));
  return errno == ENOENT ? 127 : 126;
}

int command_scheme(int count, char **arguments) {
  const char *named = getenv("ASCRIBE_SCHEME_PROGRAM");
  struct request request = {.program = named && *named ? named : "scheme", .mode = "files"};
  char file[PATH_MAX];
  int first = 1;
  for (; first < count; first++) {
    if (strcmp(arguments[first], "--contexts") == 0)
      request.contexts = true;
    else if (strcmp(arguments[first], "--compile") == 0)
      request.compiles = true;
    else if (strcmp(arguments[first], "--ascribe-explain") == 0)
      request.explain = true;
    else
      break;
  }
  if (count == 2 && strcmp(arguments[1], "--help") == 0) {
    puts(options_scheme.usage);
    fflush(stdout);
  }
  bool has_file = request.compiles || is_recorded() || request.explain;
  if (has_file && support_file_find(SUPPORT_CHEZ, file, sizeof file) != 0) {
    fputs("ascribe: " SUPPORT_CHEZ " is not found; reinstall Ascribe, or set "
          "ASCRIBE_SUPPORT_DIR to the directory that holds it\n",
          stderr);
    return 1;
  }
  words_add(&request.command, request.program);
  if (request.compiles && first < count && arguments[first][0] != '-')
    add_files(&request, count - first, arguments + first, file);
  else
    add_arguments(&request, count - first, arguments + first, has_file ? file : NULL);
  int status = 0;
  if (request.explain)
    shown_command_print(&request.command);
  else if (has_file && set_variable(&request, file) != 0)
    status = 1;
  else
    status = run(&request);
  words_free(&request.objects);
  words_free(&request.command);
  return status;
}
