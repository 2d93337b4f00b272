/* All calls of some functions of a program, in order:
 *
 *     call_trace PLAN EVENTS PROGRAM [ARGUMENT...]
 *
 * PLAN has lines `entry ADDRESS`, `return ADDRESS` (the instruction after a call) and `jump ADDRESS
 * END` (one that may leave its function), with addresses as in the program's file.  The program
 * runs with a breakpoint at each; it may be instrumented, but nothing of the instrumentation is
 * used.
 *
 * A function is active from its entry until the stack pointer is above the slot of its return
 * address; so returns, longjmp and exceptions are all the same.  A jump to an entry with the stack
 * pointer at the running function's own slot is a tail call.
 *
 * EVENTS are records of struct event. One thread, no forks. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define OUTSIDE (1ull << 63)
struct event {
  uint32_t depth; /* functions that are active when it is called */
  uint32_t entry; /* which one, as PLAN numbers its entries; and TAIL */
  uint64_t site;  /* return address, or the end of the jump; OUTSIDE: not in the program's file */
};
#define TAIL (1u << 31)

enum { ENTRY = 1, RETURN = 2, JUMP = 4, PLACES = 1 << 20, DEPTH = 1 << 22 };

static struct place {
  uint64_t address, end;
  uint32_t kinds, entry;
  uint8_t byte;
} places[PLACES];

static struct frame {
  uint64_t slot, back;
  uint32_t entry;
} frames[DEPTH];
static uint32_t depth, entries, place_count;
static uint64_t base, lowest = UINT64_MAX, highest;
static pid_t child;
static int memory;
static FILE *events;

static _Noreturn void fail(const char *what) {
  fprintf(stderr, "call_trace: %s: %s\n", what, strerror(errno));
  exit(1);
}

static struct place *place_at(uint64_t address) {
  uint64_t i = address * 0x9E3779B97F4A7C15u >> 44;
  while (places[i].address && places[i].address != address)
    i = (i + 1) % PLACES;
  return &places[i];
}

static void set_byte(uint64_t address, uint8_t byte) {
  if (pwrite(memory, &byte, 1, (off_t)address) != 1) fail("cannot write a breakpoint");
}

static struct place *add_place(uint64_t address, uint32_t kind) {
  struct place *place = place_at(address);
  if (!place->address) {
    if (++place_count > PLACES / 2) fail("too many breakpoints");
    place->address = address;
    if (pread(memory, &place->byte, 1, (off_t)address) != 1) fail("cannot read code");
    set_byte(address, 0xCC);
  }
  place->kinds |= kind;
  return place;
}

static void read_plan(const char *path) {
  FILE *plan = fopen(path, "r");
  char kind[16];
  uint64_t address, end;
  if (!plan) fail(path);
  while (fscanf(plan, "%15s %" SCNx64, kind, &address) == 2) {
    if (address < lowest) lowest = address;
    if (address > highest) highest = address;
    if (!strcmp(kind, "entry")) {
      add_place(base + address, ENTRY)->entry = entries++;
    } else if (!strcmp(kind, "return")) {
      add_place(base + address, RETURN);
    } else {
      if (fscanf(plan, "%" SCNx64, &end) != 1) fail("a jump without an end");
      add_place(base + address, JUMP)->end = base + end;
    }
  }
  fclose(plan);
}

/* Where the program is: its entry point beside that of its file. */
static uint64_t find_base(const char *program) {
  char path[64];
  Elf64_auxv_t auxiliary;
  Elf64_Ehdr header;
  uint64_t found = 0;
  snprintf(path, sizeof path, "/proc/%d/auxv", child);
  FILE *file = fopen(path, "r");
  if (!file) fail(path);
  while (fread(&auxiliary, sizeof auxiliary, 1, file) == 1)
    if (auxiliary.a_type == AT_ENTRY) found = auxiliary.a_un.a_val;
  fclose(file);
  file = fopen(program, "r");
  if (!file || fread(&header, sizeof header, 1, file) != 1) fail(program);
  fclose(file);
  return found - header.e_entry;
}

static uint64_t in_file(uint64_t address) {
  return address >= base + lowest && address <= base + highest ? address - base : OUTSIDE;
}

static void enter(const struct place *place, uint64_t stack, const struct frame *jump) {
  uint64_t back, site;
  if (pread(memory, &back, sizeof back, (off_t)stack) != sizeof back) fail("cannot read the stack");
  bool is_tail = jump->slot == stack;
  if (!is_tail) {
    const struct frame *top = depth ? &frames[depth - 1] : NULL;
    if (top && top->slot == stack && top->back == back && top->entry == place->entry)
      return; /* a loop */
    while (depth && frames[depth - 1].slot == stack)
      depth--;
    if (!place_at(back)->address) add_place(back, RETURN);
  }
  site = in_file(is_tail ? jump->back : back);
  struct event event = {depth, place->entry | (is_tail ? TAIL : 0), site};
  if (fwrite(&event, sizeof event, 1, events) != 1) fail("cannot write");
  if (depth == DEPTH) fail("too deep");
  frames[depth++] = (struct frame){stack, back, place->entry};
}

static void visit(const struct place *place, uint64_t stack) {
  static struct frame jump; /* the last place, if it was a jump with the frame taken down */
  while (depth && frames[depth - 1].slot < stack)
    depth--;
  if (place->kinds & ENTRY) enter(place, stack, &jump);
  jump.slot = place->kinds & JUMP && depth && frames[depth - 1].slot == stack ? stack : 0;
  jump.back = place->end;
}

/* Until something happens: the signal to pass on, 0 for none. */
static int go_on(enum __ptrace_request how, int signal_number) {
  int status;
  if (ptrace(how, child, 0, signal_number)) fail("ptrace");
  if (waitpid(child, &status, 0) != child) fail("waitpid");
  if (WIFSTOPPED(status)) return WSTOPSIG(status);
  fclose(events);
  if (WIFSIGNALED(status)) raise(WTERMSIG(status));
  exit(WEXITSTATUS(status));
}

static void run(void) {
  for (int signal_number = 0;;) {
    signal_number = go_on(PTRACE_CONT, signal_number);
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, child, 0, &registers)) fail("ptrace");
    struct place *place = place_at(registers.rip - 1);
    if (signal_number != SIGTRAP || !place->address) continue;
    visit(place, registers.rsp);
    registers.rip--;
    if (ptrace(PTRACE_SETREGS, child, 0, &registers)) fail("ptrace");
    set_byte(place->address, place->byte);
    signal_number = go_on(PTRACE_SINGLESTEP, 0);
    if (signal_number == SIGTRAP) signal_number = 0;
    set_byte(place->address, 0xCC);
  }
}

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  if (!(events = fopen(argv[2], "w"))) fail(argv[2]);
  if (!(child = fork())) {
    personality(ADDR_NO_RANDOMIZE);
    if (!ptrace(PTRACE_TRACEME, 0, 0, 0)) execv(argv[3], argv + 3);
    _exit(127);
  }
  int status;
  char path[64];
  if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) fail(argv[3]);
  snprintf(path, sizeof path, "/proc/%d/mem", child);
  if ((memory = open(path, O_RDWR)) < 0) fail(path);
  base = find_base(argv[3]);
  read_plan(argv[1]);
  run();
}
