/* Plays a language host: runs the script of hosted.py, whose functions are a world's. It defines
 * them in the recording that it has mapped, and steps from one to the next as ascribe/hook.h says.
 * Functions in C have the hooks of their header, but for the interpreter's own.
 *
 *   hosted SCRIPT N LAMBDAS exit|kill|fork
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ascribe/hooks_inline.h"
#include "recording/layout.h"

#define BARE __attribute__((no_instrument_function))

enum { WORLD = 5, BLOCK = 1 << 16 };
enum key { FIB = 1, MAIN, FIRST_CALL, SECOND_CALL, CALL_OF_FIB, LAMBDA_CALL, FIRST_LAMBDA };

/* ---- definitions ---- */

static struct recording_header *recording;
static struct block_header *block;

static void find_recording(void) {
  char line[4400];
  FILE *maps = fopen("/proc/self/maps", "r");
  recording = NULL;
  while (!recording && fgets(line, sizeof line, maps))
    if (strstr(line, RECORDING_SUFFIX) && strstr(line, " 00000000 ")) /* not its part with rows */
      recording = (void *)strtoul(line, NULL, 16);
  fclose(maps);
  block = NULL;
}

static void claim_block(void) {
  uint64_t offset = __atomic_fetch_add(&recording->next, BLOCK, __ATOMIC_RELAXED);
  block = (void *)((char *)recording + offset);
  if (mprotect(block, BLOCK, PROT_READ | PROT_WRITE) != 0) exit(3);
  block->bytes = BLOCK;
  block->kind = BLOCK_WORLD;
  block->first = WORLD;
  block->used = sizeof *block;
  __atomic_store_n(&block->magic, RECORDING_BLOCK_MAGIC, __ATOMIC_RELEASE);
}

static void define(const struct recorded_definition *definition, const char *text) {
  uint32_t bytes = (sizeof *definition + strlen(text) + 8) / 8 * 8;
  if (!recording) return;
  if (!block || block->used + bytes > block->bytes) claim_block();
  struct recorded_definition *record = (void *)((char *)block + block->used);
  *record = *definition;
  strcpy(record->text, text);
  __atomic_store_n(&record->bytes, bytes, __ATOMIC_RELEASE);
  __atomic_store_n(&block->used, block->used + bytes, __ATOMIC_RELEASE);
}

static void define_function(uint64_t key, uint32_t line, uint32_t column, const char *name) {
  define(
      &(struct recorded_definition){
          .kind = DEFINED_FUNCTION, .key = key, .file = 1, .line = line, .column = column},
      name);
}

static void define_call(uint64_t key, uint64_t within, uint32_t line, uint32_t column) {
  define(&(struct recorded_definition){.kind = DEFINED_PLACE,
                                       .key = key,
                                       .within = within,
                                       .file = 1,
                                       .line = line,
                                       .column = column},
         "");
}

static void define_script(const char *path) {
  if (recording) __atomic_fetch_or(&recording->hooks, HOOKS_HOST, __ATOMIC_RELAXED);
  define(&(struct recorded_definition){.kind = DEFINED_WORLD}, "fib script");
  define(&(struct recorded_definition){.kind = DEFINED_FILE, .key = 1}, path);
  define_function(FIB, 1, 9, "fib");
  define_call(FIRST_CALL, FIB, 3, 10);
  define_call(SECOND_CALL, FIB, 3, 24);
  define_function(MAIN, 4, 9, "script-main");
  define_call(CALL_OF_FIB, MAIN, 5, 3);
  define_call(LAMBDA_CALL, MAIN, 6, 20);
}

/* ---- calls ---- */

/* The caller's row, to be put back. */
BARE static struct __ascribe_row *enter(enum key callee_key, enum key site_key) {
  uint64_t callee = WORLD_ADDRESS(WORLD, callee_key), site = WORLD_ADDRESS(WORLD, site_key);
  struct __ascribe_row *caller = __ASCRIBE_CELL.row;
  if (__ASCRIBE_CELL.gate->owner != ASCRIBE_STANDBY)
    __ASCRIBE_CELL.row = __ascribe_count(callee, site);
  return caller;
}

BARE static void leave(struct __ascribe_row *caller) {
  __ASCRIBE_CELL.row = caller;
}

/* ---- the script ---- */

BARE static long evaluate(long n) {
  if (n < 2) return n;
  struct __ascribe_row *own = enter(FIB, FIRST_CALL);
  long first = evaluate(n - 1);
  leave(own);
  own = enter(FIB, SECOND_CALL);
  long second = evaluate(n - 2);
  leave(own);
  return first + second;
}

__attribute__((noinline)) static void display(long number) {
  printf("%ld\n", number);
}

/* Functions that come to be while it runs. */
BARE static void run_lambdas(long first, long count) {
  for (long i = first; i < first + count; i++) {
    char name[40];
    snprintf(name, sizeof name, i % 2 ? "" : "lambda-%ld", i);
    define_function(FIRST_LAMBDA + i, 6, (uint32_t)(100 + i), name);
    leave(enter(FIRST_LAMBDA + i, LAMBDA_CALL));
  }
}

__attribute__((noinline)) static void run_script(long n, long lambdas) {
  struct __ascribe_row *outside = enter(MAIN, 0), *own = enter(FIB, CALL_OF_FIB);
  long result = evaluate(n);
  leave(own);
  display(result);
  run_lambdas(0, lambdas);
  leave(outside);
}

/* The child goes on with the numbers of its parent, in a recording of its own. */
__attribute__((noinline)) static void run_child(void) {
  find_recording();
  struct __ascribe_row *outside = enter(MAIN, 0);
  define_function(FIRST_LAMBDA, 7, 1, "of-the-child");
  leave(enter(FIRST_LAMBDA, LAMBDA_CALL));
  leave(outside);
}

int main(int count, char **arguments) {
  if (count != 5) return 2;
  find_recording();
  define_script(arguments[1]);
  run_script(atol(arguments[2]), atol(arguments[3]));
  fflush(stdout);
  if (strcmp(arguments[4], "kill") == 0) raise(SIGKILL);
  if (strcmp(arguments[4], "fork") == 0) {
    pid_t child = fork();
    if (child == 0) run_child();
    if (child > 0) waitpid(child, NULL, 0);
  }
  return 0;
}
