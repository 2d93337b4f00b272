/* A bytecode machine, and a language host: the lines that end in HOST are all that it tells
 * Ascribe.
 *
 *   cc -O2 -I../../include bytecode.c -o bytecode
 *   ascribe record -- ./bytecode queens.bc
 *   ascribe record --clock host -- ./bytecode queens.bc      exact, in instructions
 *
 * A program is lines: `function NAME ARGUMENTS`, `LABEL:`, or an instruction with its operand. It
 * begins with `main`.  docs/HOSTS.md. */
#include <ascribe/host.h> // HOST

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum operation {
  /* clang-format off */
  PUSH, ARGUMENT, SET, COPY, DROP, ADD, SUBTRACT, LESS, EQUAL, JUMP, UNLESS, CALL, TAIL, REPLY,
  PRINT, CREATE, RESUME, YIELD, OPERATIONS
  /* clang-format on */
};
static const char *const names[] = {"push",     "argument", "set",   "copy",   "drop",   "add",
                                    "subtract", "less",     "equal", "jump",   "unless", "call",
                                    "tail",     "reply",    "print", "create", "resume", "yield"};

enum { MOST = 4096, STACK = 1 << 16, FRAMES = 1 << 14, COROUTINES = 64, WORD = 64 };

struct instruction {
  enum operation operation;
  int operand; /* a number, a place in the code, or a function */
  int function, line;
  ascribe_point site; // HOST
};
struct function {
  char name[WORD];
  int start, arguments, line;
  ascribe_point point; // HOST
};
struct frame {
  int back, base;
  uint32_t caller; // HOST: its context, to be put back
};
struct coroutine {
  long stack[STACK];
  struct frame frames[FRAMES];
  int top, depth, pc, resumer;
  uint32_t context; // HOST: where it is while others run
};

static struct instruction code[MOST];
static struct function functions[MOST];
static struct coroutine *coroutines[COROUTINES];
static int length, function_count, coroutine_count;
static uint64_t executed;

static void fail(const char *what, int line) {
  fprintf(stderr, "bytecode: line %d: %s\n", line, what);
  exit(1);
}

static int function_named(const char *name) {
  for (int i = 0; i < function_count; i++)
    if (strcmp(functions[i].name, name) == 0) return i;
  if (function_count == MOST) fail("too many functions", 0);
  strcpy(functions[function_count].name, name);
  functions[function_count].start = -1;
  return function_count++;
}

static int refers_to_function(enum operation operation) {
  return operation == CALL || operation == TAIL || operation == CREATE;
}

static void load(const char *path) {
  static struct {
    char name[WORD];
    int function, at;
  } labels[MOST];
  static char targets[MOST][WORD];
  int label_count = 0, current = -1;
  char line[256], word[WORD], operand[WORD];
  FILE *in = fopen(path, "r");
  if (!in) fail("the program cannot be read", 0);
  for (int number = 1; fgets(line, sizeof line, in); number++) {
    line[strcspn(line, ";\n")] = '\0';
    int words = sscanf(line, "%63s %63s", word, operand);
    if (words < 1) continue;
    if (length == MOST || label_count == MOST) fail("the program is too long", number);
    if (strcmp(word, "function") == 0 && words == 2) {
      current = function_named(operand);
      functions[current].start = length;
      functions[current].line = number;
      sscanf(line, "%*s %*s %d", &functions[current].arguments);
      continue;
    }
    if (word[strlen(word) - 1] == ':') {
      labels[label_count].function = current;
      labels[label_count].at = length;
      word[strlen(word) - 1] = '\0';
      strcpy(labels[label_count++].name, word);
      continue;
    }
    struct instruction *instruction = &code[length];
    int operation = 0;
    while (operation < OPERATIONS && strcmp(names[operation], word) != 0)
      operation++;
    if (operation == OPERATIONS || current < 0) fail("no such instruction here", number);
    instruction->operation = (enum operation)operation;
    instruction->function = current;
    instruction->line = number;
    if (refers_to_function(instruction->operation)) {
      instruction->operand = function_named(operand);
    } else if (operation == JUMP || operation == UNLESS) {
      strcpy(targets[length], operand);
    } else if (words == 2) {
      instruction->operand = atoi(operand);
    }
    length++;
  }
  fclose(in);
  for (int i = 0; i < length; i++) {
    int k = 0;
    if (refers_to_function(code[i].operation) && functions[code[i].operand].start < 0)
      fail("no such function", code[i].line);
    if (!targets[i][0]) continue;
    while (k < label_count &&
           (labels[k].function != code[i].function || strcmp(labels[k].name, targets[i]) != 0))
      k++;
    if (k == label_count) fail("no such label", code[i].line);
    code[i].operand = labels[k].at;
  }
}

static volatile ascribe_point running; // HOST: the instruction that runs
extern const char __start_bytecode_loop[], __stop_bytecode_loop[]; // HOST: made by the linker

static struct ascribe_range line_of(int line) { // HOST
  return ascribe_range_at((uint32_t)line, 1);   // HOST
} // HOST

/* All that Ascribe needs to know of the program. */
static void describe(const char *path) { // HOST, to the end of the function
  if (!ascribe_host_begin()) return;
  char *absolute = realpath(path, NULL);
  uint32_t world = ascribe_host_world(path), file = ascribe_host_file(world, absolute);
  free(absolute);
  for (int i = 0; i < function_count; i++)
    functions[i].point =
        ascribe_host_function(world, functions[i].name, file, line_of(functions[i].line));
  for (int i = 0; i < length; i++)
    code[i].site =
        ascribe_host_place(functions[code[i].function].point, ASCRIBE_CALL, line_of(code[i].line));
  ascribe_host_running(&running);
  ascribe_host_own_code(__start_bytecode_loop, __stop_bytecode_loop);
  ascribe_host_clock(&executed, "instructions");
}

static struct coroutine *create(int function) {
  struct coroutine *made = coroutine_count < COROUTINES ? calloc(1, sizeof *made) : NULL;
  if (!made) fail("too many coroutines", 0);
  made->frames[0].back = -1;
  made->pc = functions[function].start;
  made->depth = -1; /* it has not begun */
  made->resumer = function;
  coroutines[coroutine_count++] = made;
  return made;
}

__attribute__((noinline, section("bytecode_loop"))) // HOST: its time is the program's
static void
run(int start_function) {
  int self = 0;
  struct coroutine *now = create(start_function);
  now->depth = 0;
  now->resumer = -1;
  now->frames[0].caller = ascribe_enter(functions[start_function].point, 0); // HOST
  for (;;) {
    const struct instruction *at = &code[now->pc++];
    struct frame *frame = &now->frames[now->depth];
    long *top = now->stack + now->top;
    if (now->top >= STACK - 4 || now->depth >= FRAMES - 2) fail("too deep", at->line);
    running = at->site; // HOST
    executed++;
    switch (at->operation) {
    /* clang-format off: one line each */
    case PUSH:
      *top = at->operand;
      now->top++;
      break;
    case ARGUMENT:
      *top = now->stack[frame->base + at->operand];
      now->top++;
      break;
    case SET:
      now->stack[frame->base + at->operand] = top[-1];
      now->top--;
      break;
    case COPY:
      *top = top[-1];
      now->top++;
      break;
    case DROP:
      now->top--;
      break;
    case ADD:
      top[-2] += top[-1];
      now->top--;
      break;
    case SUBTRACT:
      top[-2] -= top[-1];
      now->top--;
      break;
    case LESS:
      top[-2] = top[-2] < top[-1];
      now->top--;
      break;
    case EQUAL:
      top[-2] = top[-2] == top[-1];
      now->top--;
      break;
    case JUMP:
      now->pc = at->operand;
      break;
    case UNLESS:
      now->top--;
      if (!top[-1]) now->pc = at->operand;
      break;
    case PRINT:
      printf("%ld\n", top[-1]);
      now->top--;
      break;
    case CREATE:
      *top = coroutine_count;
      now->top++;
      create(at->operand);
      break;
    case OPERATIONS:
      break;
    /* clang-format on */
    case CALL: {
      const struct function *callee = &functions[at->operand];
      struct frame *inner = &now->frames[++now->depth];
      inner->back = now->pc;
      inner->base = now->top - callee->arguments;
      inner->caller = ascribe_enter(callee->point, at->site); // HOST
      now->pc = callee->start;
      break;
    }
    case TAIL: {
      const struct function *callee = &functions[at->operand];
      memmove(now->stack + frame->base, top - callee->arguments,
              (size_t)callee->arguments * sizeof *top);
      now->top = frame->base + callee->arguments;
      ascribe_leave(frame->caller);           // HOST: as the stack has it
      ascribe_enter(callee->point, at->site); // HOST
      now->pc = callee->start;
      break;
    }
    case REPLY: {
      long value = top[-1];
      int back = frame->back;
      now->top = frame->base;
      ascribe_leave(frame->caller); // HOST
      if (now->depth-- > 0) {
        now->pc = back;
      } else if (self == 0) {
        return;
      } else { /* the coroutine is over: its resumer gets the value */
        self = now->resumer;
        now = coroutines[self];
      }
      now->stack[now->top++] = value;
      break;
    }
    case RESUME: { /* coroutine: the value that it yields */
      long number = top[-1];
      if (number <= 0 || number >= coroutine_count) fail("no such coroutine", at->line);
      struct coroutine *next = coroutines[number];
      now->top--;
      if (next->depth < 0) {
        next->depth = 0;
        next->frames[0].caller = ascribe_enter(functions[next->resumer].point, at->site); // HOST
      } else {
        next->frames[0].caller = ascribe_context(); // HOST
        ascribe_leave(next->context);               // HOST
      }
      next->resumer = self;
      self = (int)number;
      now = next;
      break;
    }
    case YIELD: {
      long value = top[-1];
      now->top--;
      now->context = ascribe_context();     // HOST
      ascribe_leave(now->frames[0].caller); // HOST
      self = now->resumer;
      now = coroutines[self];
      now->stack[now->top++] = value;
      break;
    }
    }
  }
}

int main(int count, char **arguments) {
  if (count != 2) {
    fputs("usage: bytecode PROGRAM.bc\n", stderr);
    return 2;
  }
  load(arguments[1]);
  describe(arguments[1]); // HOST
  run(function_named("main"));
  fprintf(stderr, "%" PRIu64 " instructions\n", executed);
  return 0;
}
