#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ascribe/hook.h"

struct ascribe_frames;
extern __thread struct ascribe_cell ascribe_cell __asm__("ascribe.row");
extern __thread struct ascribe_frames *ascribe_frames __asm__("ascribe.frames");
#define ASCRIBE_HOOKS_CALLED
#include "ascribe/hooks_inline.h"

#define FRAMES 65536u
#define SLOTS 65536u
#define CONTEXTS 65536u
#define NAMES 64u

struct context {
  uint32_t parent;
  uint64_t callee;
};

struct name {
  uint64_t address;
  const char *text;
};

static struct ascribe_slot table[SLOTS] __attribute__((aligned(64)));
static struct ascribe_gate gate __attribute__((aligned(64)));
static struct ascribe_gate empty_gate __attribute__((aligned(64)));
static struct context contexts[CONTEXTS];
static uint32_t contexts_used = 1; /* 0 is the root */
static struct name names[NAMES];
static uint32_t names_used;
static int faults;

__thread struct ascribe_cell ascribe_cell __attribute__((aligned(16))) = {0, 0, &empty_gate};
struct ascribe_gate ascribe_inert_gate;

/* For the hooks of -finstrument-functions. */
static struct ascribe_frame room[FRAMES] = {{.address = ~0ul}};
static struct ascribe_frames frames = {room + 1, room + FRAMES};
__thread struct ascribe_frames *ascribe_frames = &frames;
__asm__(".globl ascribe_frames_grow\nascribe_frames_grow: endbr64\n ret");

void ascribe_object_loaded(void);
void ascribe_object_loaded(void) {}

/* Keeps every register but rax and the flags, as the contract asks. */
__asm__(".text\n"
        ".globl ascribe_enter_slow\n"
        ".type ascribe_enter_slow, @function\n"
        "ascribe_enter_slow:\n"
        ".cfi_startproc\n"
        "endbr64\n"
        "push %rbp\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset 6, -16\n"
        "mov %rsp, %rbp\n"
        ".cfi_def_cfa_register 6\n"
        "push %rcx; push %rdx; push %rsi; push %rdi; push %r8; push %r9; push %r10; push %r11\n"
        "sub $512, %rsp\n"
        "and $-64, %rsp\n"
        "fxsave (%rsp)\n"
        "mov %rax, %rdi\n"
        "mov 16(%rbp), %rsi\n"
        "cld\n"
        "call fixture_step\n"
        "fxrstor (%rsp)\n"
        "lea -64(%rbp), %rsp\n"
        "pop %r11; pop %r10; pop %r9; pop %r8; pop %rdi; pop %rsi; pop %rdx; pop %rcx\n"
        "pop %rbp\n"
        ".cfi_def_cfa 7, 8\n"
        "ret\n"
        ".cfi_endproc\n");

static uint32_t context_step(uint32_t from, uint64_t callee) {
  for (uint32_t at = from; at; at = contexts[at].parent)
    if (contexts[at].callee == callee) return at;
  for (uint32_t at = 1; at < contexts_used; at++)
    if (contexts[at].parent == from && contexts[at].callee == callee) return at;
  if (contexts_used == CONTEXTS) abort();
  contexts[contexts_used] = (struct context){from, callee};
  return contexts_used++;
}

uint32_t fixture_step(uint64_t callee, uint64_t site);
uint32_t fixture_step(uint64_t callee, uint64_t site) {
  gate.table = (uint64_t)table - (uint64_t)&gate;
  gate.mask = (SLOTS - 1) * sizeof(struct ascribe_slot);
  ascribe_cell.gate = &gate;
  uint32_t from = ascribe_cell.context;
  uint64_t place = (ASCRIBE_HASH(from, callee, site) & gate.mask) / sizeof(struct ascribe_slot);
  for (uint32_t i = 0; i < SLOTS; i++) {
    struct ascribe_slot *slot = &table[(place + i) % SLOTS];
    if (!slot->callee)
      *slot = (struct ascribe_slot){from, context_step(from & ~ASCRIBE_CONTINUES, callee), callee,
                                    site, 0};
    if (slot->from == from && slot->callee == callee && slot->site == site) {
      slot->count++;
      return slot->to;
    }
  }
  abort();
}

unsigned long fixture_calls(const void *address) {
  unsigned long calls = 0;
  for (uint32_t i = 0; i < SLOTS; i++)
    if (table[i].callee == (uint64_t)address) calls += table[i].count;
  return calls;
}

void fixture_name(const void *address, const char *name) {
  if (names_used == NAMES) abort();
  names[names_used++] = (struct name){(uint64_t)address, name};
}

static const char *name_of(uint64_t address) {
  for (uint32_t i = 0; i < names_used; i++)
    if (names[i].address == address) return names[i].text;
  return "?";
}

static void write_path(uint32_t context, char *text, size_t size) {
  if (!context) return;
  write_path(contexts[context].parent, text, size);
  size_t length = strlen(text);
  snprintf(text + length, size - length, "%s%s", length ? ">" : "",
           name_of(contexts[context].callee));
}

void fixture_expect(const char *path) {
  char text[4096] = "";
  write_path(ascribe_cell.context, text, sizeof(text));
  if (strcmp(text, path) == 0) return;
  fprintf(stderr, "context is %s, expected %s\n", text, path);
  faults++;
}

void fixture_expect_calls(const char *what, const void *address, unsigned long calls) {
  unsigned long counted = fixture_calls(address);
  if (counted == calls) return;
  fprintf(stderr, "%s: %lu calls counted, expected %lu\n", what, counted, calls);
  faults++;
}

int fixture_faults(void) {
  return faults;
}
