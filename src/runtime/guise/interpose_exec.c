/* Calls that execute another program, in this process or in a child: it takes over what this one
 * believes to block and to ignore (hand_over.h). */
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/guise/hand_over.h"
#include "runtime/guise/libc_name.h"
#include "runtime/guise/next_function.h"

/* Up to FEXECVE they replace the program. */
enum called { EXECV, EXECVE, EXECVP, EXECVPE, EXECVEAT, FEXECVE, SPAWN, SPAWNP, SYSTEM, POPEN };
static struct next_function real[] = {
    [EXECV] = {"execv", NULL},       [EXECVE] = {"execve", NULL},
    [EXECVP] = {"execvp", NULL},     [EXECVPE] = {"execvpe", NULL},
    [EXECVEAT] = {"execveat", NULL}, [FEXECVE] = {"fexecve", NULL},
    [SPAWN] = {"posix_spawn", NULL}, [SPAWNP] = {"posix_spawnp", NULL},
    [SYSTEM] = {"system", NULL},     [POPEN] = {"popen", NULL},
};
NEXT_FUNCTIONS_FOUND_EARLY(real);

bool hand_over_is_called(void) {
  return true;
}

/* The real function of type `type`, called with what the caller's signals are. */
#define HANDED_OVER(result, which, type, arguments)                                                \
  struct handed_over handed;                                                                       \
  hand_over(&handed, which <= FEXECVE);                                                            \
  result = ((type *)next_function(&real[which]))arguments;                                         \
  hand_over_undo(&handed)

typedef char *const strings[];
typedef int exec_function(const char *, strings);
typedef int exec_in_function(const char *, strings, strings);
typedef int exec_file_function(int, strings, strings);
typedef int exec_at_function(int, const char *, strings, strings, int);

LIBC_NAME int execv(const char *path, strings arguments) {
  HANDED_OVER(int status, EXECV, exec_function, (path, arguments));
  return status;
}
OWN_NAME(execv);
LIBC_NAME int execvp(const char *name, strings arguments) {
  HANDED_OVER(int status, EXECVP, exec_function, (name, arguments));
  return status;
}
OWN_NAME(execvp);
LIBC_NAME int execve(const char *path, strings arguments, strings environment) {
  HANDED_OVER(int status, EXECVE, exec_in_function, (path, arguments, environment));
  return status;
}
OWN_NAME(execve);
LIBC_NAME int execvpe(const char *name, strings arguments, strings environment) {
  HANDED_OVER(int status, EXECVPE, exec_in_function, (name, arguments, environment));
  return status;
}
LIBC_NAME int fexecve(int file, strings arguments, strings environment) {
  HANDED_OVER(int status, FEXECVE, exec_file_function, (file, arguments, environment));
  return status;
}
LIBC_NAME int execveat(int directory, const char *path, strings arguments, strings environment,
                       int flags) {
  HANDED_OVER(int status, EXECVEAT, exec_at_function,
              (directory, path, arguments, environment, flags));
  return status;
}

/* ---- with the arguments in a list: as above, of an array on the stack ---- */

/* How many there are, with the null at their end. Apart from the callers, whose declarations let
 * the compiler believe that `first` is not null. */
static __attribute__((noinline)) size_t count(const char *first, va_list list) {
  va_list rest;
  size_t strings_left = 1;
  va_copy(rest, list);
  for (; first; first = va_arg(rest, const char *))
    strings_left++;
  va_end(rest);
  return strings_left;
}

static __attribute__((noinline)) void fill(const char **array, const char *first, va_list list) {
  array[0] = first;
  for (size_t i = 0; array[i]; i++)
    array[i + 1] = va_arg(list, const char *);
}

#define ARGUMENTS(first)                                                                           \
  va_list list;                                                                                    \
  va_start(list, first);                                                                           \
  const char *arguments[count(first, list)];                                                       \
  fill(arguments, first, list)

LIBC_NAME int execl(const char *path, const char *first, ...) {
  ARGUMENTS(first);
  va_end(list);
  return own_execv(path, (char **)arguments);
}
LIBC_NAME int execlp(const char *name, const char *first, ...) {
  ARGUMENTS(first);
  va_end(list);
  return own_execvp(name, (char **)arguments);
}
LIBC_NAME int execle(const char *path, const char *first, ...) {
  ARGUMENTS(first);
  char **environment = va_arg(list, char **);
  va_end(list);
  return own_execve(path, (char **)arguments, environment);
}

/* ---- in a child ---- */

typedef int spawn_function(pid_t *, const char *, const posix_spawn_file_actions_t *,
                           const posix_spawnattr_t *, strings, strings);

LIBC_NAME int posix_spawn(pid_t *restrict child, const char *restrict path,
                          const posix_spawn_file_actions_t *actions,
                          const posix_spawnattr_t *restrict attributes, strings arguments,
                          strings environment) {
  HANDED_OVER(int status, SPAWN, spawn_function,
              (child, path, actions, attributes, arguments, environment));
  return status;
}
LIBC_NAME int posix_spawnp(pid_t *restrict child, const char *restrict name,
                           const posix_spawn_file_actions_t *actions,
                           const posix_spawnattr_t *restrict attributes, strings arguments,
                           strings environment) {
  HANDED_OVER(int status, SPAWNP, spawn_function,
              (child, name, actions, attributes, arguments, environment));
  return status;
}

typedef int system_function(const char *);
typedef FILE *popen_function(const char *, const char *);

LIBC_NAME int system(const char *command) {
  HANDED_OVER(int status, SYSTEM, system_function, (command));
  return status;
}
LIBC_NAME FILE *popen(const char *command, const char *type) {
  HANDED_OVER(FILE * file, POPEN, popen_function, (command, type));
  return file;
}
