/* An interpreter that calls itself in several ways, and keeps a book of its stacks: each chain of
 * functions below which work was done.
 *
 * interprets ROUNDS NESTING: prints the book. interprets deep NESTING: goes down that far by
 * chance, and works there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OWN __attribute__((noinline, noclone, noipa))
enum { DEEPEST = 64, CHAINS = 20000, WORK = 20000 };

static const char *stack[DEEPEST];
static char *book[CHAINS];
static int depth, chains, keeps_book;
static unsigned program; /* what is left of the code to interpret: a digit for each nesting */
static volatile unsigned long sink;

OWN static void note(void) {
  char chain[DEEPEST * 16] = "";
  for (int i = 0; i < depth; i++)
    strcat(strcat(chain, i ? ";" : ""), stack[i]);
  for (int i = chains; i-- > 0;)
    if (strcmp(book[i], chain) == 0) return;
  if (chains < CHAINS) book[chains++] = strdup(chain);
}

OWN static void work(void) {
  if (keeps_book) {
    stack[depth++] = "work";
    note();
    depth--;
  }
  for (int i = 0; i < WORK; i++)
    sink += i;
}

/* What stands behind the call keeps it from becoming a jump. */
#define FUNCTION(name, ...)                                                                        \
  OWN static void name(int nesting) {                                                              \
    if (keeps_book) stack[depth++] = #name;                                                        \
    if (keeps_book) work();                                                                        \
    __VA_ARGS__                                                                                    \
    if (keeps_book) depth--;                                                                       \
    sink++;                                                                                        \
  }

static void execute(int nesting);

/* The next one; of deep programs by chance. */
static unsigned digit(void) {
  unsigned now = program;
  program = keeps_book ? now / 3 : now * 1103515245 + 12345;
  return (keeps_book ? now : program >> 16) % 3;
}

FUNCTION(chunk, execute(nesting);)
FUNCTION(raw_run, chunk(nesting);)
FUNCTION(protect, raw_run(nesting);)
FUNCTION(call_native, protect(nesting);)
FUNCTION(call_method, execute(nesting);)
FUNCTION(index_table, call_method(nesting);)
FUNCTION(compare, call_native(nesting);)
FUNCTION(
    execute, if (nesting == 0) work(); else {
      unsigned next = digit();
      if (next == 0) call_native(nesting - 1);
      if (next == 1) index_table(nesting - 1);
      if (next == 2) compare(nesting - 1);
    })

int main(int count, char **arguments) {
  if (count != 3) return 2;
  int nesting = atoi(arguments[2]);
  if (strcmp(arguments[1], "deep") == 0) {
    for (int i = 0; i < 600; i++)
      execute(nesting);
    return 0;
  }
  keeps_book = 1;
  stack[depth++] = "main";
  work();
  for (int i = 0; i < atoi(arguments[1]); i++) {
    program = i;
    protect(nesting);
  }
  for (int i = 0; i < chains; i++)
    puts(book[i]);
  return 0;
}
