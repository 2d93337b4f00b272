#include "instrument/wrapper/compiler_probe.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "instrument/configuration.h"

extern char **environ;

enum { ANSWER_LIMIT = 16384 };

#define CLANG_VERSION "clang version "

/* This process's environment with the C locale: gcc translates its answer. */
static void untranslated_environment(struct words *environment) {
  for (char **entry = environ; *entry; entry++)
    if (strncmp(*entry, "LC_ALL=", 7) != 0 && strncmp(*entry, "LANGUAGE=", 9) != 0)
      words_add(environment, *entry);
  words_add(environment, "LC_ALL=C");
}

/* Run `argv` with its standard error going to `descriptor`. Returns 0 or an errno value. */
static int spawn(char *const *argv, int descriptor, pid_t *child) {
  struct words environment = {0};
  posix_spawn_file_actions_t actions;
  int result = posix_spawn_file_actions_init(&actions);
  if (result) return result;
  untranslated_environment(&environment);
  result = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  if (!result) result = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  if (!result) result = posix_spawn_file_actions_adddup2(&actions, descriptor, 2);
  if (!result) result = posix_spawnp(child, argv[0], &actions, NULL, argv, environment.items);
  posix_spawn_file_actions_destroy(&actions);
  words_free(&environment);
  return result;
}

/* Reads to the end, keeping the first `size` - 1 bytes. */
static void read_answer(int descriptor, char *answer, size_t size) {
  size_t length = 0;
  char rest[512];
  for (;;) {
    bool keep = length + 1 < size;
    ssize_t got =
        read(descriptor, keep ? answer + length : rest, keep ? size - 1 - length : sizeof(rest));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    if (keep) length += (size_t)got;
  }
  answer[length] = '\0';
}

/* The answer of `argv` on standard error. */
static int ask(char *const *argv, char *answer, size_t size, struct error *error) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return error_set(error, "pipe: %s", strerror(errno));
  pid_t child = 0;
  int result = spawn(argv, ends[1], &child);
  close(ends[1]);
  if (result == 0) {
    read_answer(ends[0], answer, size);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
      ;
  }
  close(ends[0]);
  if (result == 0) return 0;
  return error_set(error, "cannot run the compiler %s: %s", argv[0], strerror(result));
}

static void copy_trimmed(char *to, size_t size, const char *line) {
  size_t length = strlen(line);
  while (length && line[length - 1] == ' ')
    length--;
  snprintf(to, size, "%.*s", (int)length, line);
}

/* GCC loads only a plugin that was built for the same version and configuration. */
static const char *fitting_plugin(const char *version, const char *configuration) {
  static const struct {
    const char *plugin, *version, *configuration;
  } built[] = {CONFIGURED_PLUGINS{NULL, NULL, NULL}};
  for (size_t i = 0; built[i].plugin; i++)
    if (!strcmp(version, built[i].version) && !strcmp(configuration, built[i].configuration))
      return built[i].plugin;
  return NULL;
}

/* LLVM's interfaces stay as they are from one "major.minor" to the next. */
static const char *fitting_pass(const char *version) {
  static const struct { const char *plugin, *version; } built[] = {CONFIGURED_PASSES{NULL, NULL}};
  for (size_t i = 0; built[i].plugin; i++) {
    size_t length = strlen(built[i].version);
    if (strncmp(version, built[i].version, length) == 0 && version[length] == '.')
      return built[i].plugin;
  }
  return NULL;
}

void compiler_read_version(char *answer, struct compiler *compiler) {
  const char *configuration = "";
  compiler->kind = COMPILER_UNKNOWN;
  compiler->plugin = NULL;
  snprintf(compiler->version, sizeof(compiler->version), "unknown");
  char *rest = NULL;
  for (char *line = strtok_r(answer, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    if (strncmp(line, "Configured with: ", 17) == 0) configuration = line;
    bool gcc = strncmp(line, "gcc version ", 12) == 0;
    const char *clang = strstr(line, CLANG_VERSION);
    if (!gcc && !clang) continue;
    compiler->kind = clang ? COMPILER_CLANG : COMPILER_GCC;
    copy_trimmed(compiler->version, sizeof(compiler->version), line);
    compiler->plugin = clang ? fitting_pass(clang + strlen(CLANG_VERSION))
                             : fitting_plugin(compiler->version, configuration);
    return;
  }
}

int compiler_probe(const struct words *command, struct compiler *compiler, struct error *error) {
  struct words asking = {0};
  for (size_t i = 0; i < command->count; i++)
    words_add(&asking, command->items[i]);
  words_add(&asking, "-v");
  char answer[ANSWER_LIMIT];
  int result = ask(asking.items, answer, sizeof(answer), error);
  words_free(&asking);
  if (result == 0) compiler_read_version(answer, compiler);
  return result;
}
