#include "fixture.h"

#include <stdbool.h>
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
#define MEMORY (16u << 20)
#define CONTEXTS 65536u
#define ROWS 65536u
#define CALLS 65536u
#define NAMES 64u

struct context {
  uint32_t parent;
  uint64_t callee;
};

/* Calls that have no slot of their own in a row. */
struct call {
  const struct ascribe_row *from; /* as the cell had it */
  uint64_t callee, site;
  struct ascribe_row *to;
  uint64_t count;
};

/* A call whose callee is not known yet: it is the function that is entered next with this cell and
 * this frame. */
struct pending {
  struct ascribe_row *from, *cell;
  uint64_t site, callee; /* the number of the site in its function; 0, or a pointer's callee */
  uint64_t frame_least, frame_most;
};

struct name {
  uint64_t address;
  const char *text;
};

static struct context contexts[CONTEXTS];
static uint32_t contexts_used = 1; /* 0 is the root */
static char memory[MEMORY] __attribute__((aligned(32)));
static size_t memory_used;
static struct ascribe_row *rows[ROWS];
static uint32_t rows_used;
static struct call calls[CALLS];
static uint32_t calls_used;
static struct pending pending;
static struct name names[NAMES];
static uint32_t names_used;
static int faults;

/* Resolvers run before thread-local storage exists. Their hooks use these two, where nothing is
 * recorded. */
struct room {
  char below[ASCRIBE_ROW_BELOW];
  struct ascribe_row row;
  char above[ASCRIBE_ROW_ABOVE - sizeof(struct ascribe_row)];
} __attribute__((aligned(32)));
__asm__(".pushsection .bss\n"
        ".globl ascribe_inert_row\n"
        ".type ascribe_inert_row, @object\n"
        ".size ascribe_inert_row, 32768\n"
        ".balign 32\n"
        ".zero 4096\n"
        "ascribe_inert_row:\n"
        ".zero 32768\n"
        ".popsection\n");
struct ascribe_gate ascribe_inert_gate = {.owner = ASCRIBE_STANDBY};

static struct ascribe_gate gate __attribute__((aligned(64)));
static struct room root = {
    .row = {.function = ASCRIBE_ROW_OTHER, .beside = ~1u, .outer = (uint64_t)&root.row}};
__thread struct ascribe_cell ascribe_cell __attribute__((aligned(16))) = {&root.row, &gate};

/* For the hooks of -finstrument-functions. */
static struct ascribe_frame room[FRAMES] = {{.address = ~0ul}};
static struct ascribe_frames frames = {room + 1, room + FRAMES};
__thread struct ascribe_frames *ascribe_frames = &frames;
__asm__(".globl ascribe_frames_grow\nascribe_frames_grow: endbr64\n ret");

void ascribe_object_loaded(void);
void ascribe_object_loaded(void) {}

/* Calls the C function NAME with rax and where the other arguments lie on the stack. Keeps every
 * register but rax and the flags, as the contract asks. */
#define ENTRY(name, c_name, taken_off)                                                             \
  __asm__(".text\n"                                                                                \
          ".globl " name "\n"                                                                      \
          ".type " name ", @function\n" name ":\n"                                                 \
          ".cfi_startproc\n"                                                                       \
          "endbr64\n"                                                                              \
          "push %rbp\n"                                                                            \
          ".cfi_def_cfa_offset 16\n"                                                               \
          ".cfi_offset 6, -16\n"                                                                   \
          "mov %rsp, %rbp\n"                                                                       \
          ".cfi_def_cfa_register 6\n"                                                              \
          "push %rcx; push %rdx; push %rsi; push %rdi; push %r8; push %r9; push %r10; push %r11\n" \
          "sub $512, %rsp\n"                                                                       \
          "and $-64, %rsp\n"                                                                       \
          "fxsave (%rsp)\n"                                                                        \
          "mov %rax, %rdi\n"                                                                       \
          "lea 16(%rbp), %rsi\n"                                                                   \
          "cld\n"                                                                                  \
          "call " c_name "\n"                                                                      \
          "fxrstor (%rsp)\n"                                                                       \
          "lea -64(%rbp), %rsp\n"                                                                  \
          "pop %r11; pop %r10; pop %r9; pop %r8; pop %rdi; pop %rsi; pop %rdx; pop %rcx\n"         \
          "pop %rbp\n"                                                                             \
          ".cfi_def_cfa 7, 8\n"                                                                    \
          "ret $" taken_off "\n"                                                                   \
          ".cfi_endproc\n")
ENTRY("ascribe_row_enter", "fixture_row_enter", "8");
ENTRY("ascribe_row_call", "fixture_row_call", "8");
ENTRY("ascribe_row_jump", "fixture_row_jump", "16");
ENTRY("ascribe_row_call_pointer", "fixture_row_call_pointer", "16");
ENTRY("ascribe_row_jump_pointer", "fixture_row_jump_pointer", "24");
ENTRY("ascribe_enter", "fixture_enter", "0");

struct ascribe_row *fixture_row_enter(struct ascribe_function *code, const uint64_t *pushed);
struct ascribe_row *fixture_row_call(struct ascribe_row *own, const uint64_t *pushed);
struct ascribe_row *fixture_row_jump(struct ascribe_row *own, const uint64_t *pushed);
struct ascribe_row *fixture_row_call_pointer(struct ascribe_row *own, const uint64_t *pushed);
struct ascribe_row *fixture_row_jump_pointer(struct ascribe_row *own, const uint64_t *pushed);
struct ascribe_row *fixture_enter(uint64_t callee, const uint64_t *pushed);

static uint64_t at_distance(const int32_t *from) {
  return (uint64_t)from + (uint64_t)(int64_t)*from;
}

static struct ascribe_function *known_callee(const struct ascribe_site *site) {
  return site->callee ? (struct ascribe_function *)at_distance(&site->callee) : NULL;
}

static struct ascribe_row *untagged(const struct ascribe_row *row) {
  return (struct ascribe_row *)((uint64_t)row & ~(uint64_t)ASCRIBE_ROW_TAG);
}

static struct ascribe_row *tagged(const struct ascribe_row *row) {
  return (struct ascribe_row *)((uint64_t)row | ASCRIBE_ROW_TAG);
}

static uint32_t context_step(uint32_t from, uint64_t callee) {
  for (uint32_t at = from; at; at = contexts[at].parent)
    if (contexts[at].callee == callee) return at;
  for (uint32_t at = 1; at < contexts_used; at++)
    if (contexts[at].parent == from && contexts[at].callee == callee) return at;
  if (contexts_used == CONTEXTS) abort();
  contexts[contexts_used] = (struct context){from, callee};
  return contexts_used++;
}

/* `outer`: what the cell is to hold after the function; 0: the row itself. `code` is null where
 * hooks know no rows. */
static struct ascribe_row *row_of(uint32_t context, struct ascribe_function *code, uint64_t outer) {
  for (uint32_t i = 0; i < rows_used; i++) {
    struct ascribe_row *row = rows[i];
    if (row->context == context && row->code == code &&
        row->outer == (outer ? outer : (uint64_t)row))
      return row;
  }
  size_t below = code ? (code->leaves * 8 + 31) / 32 * 32 : 0;
  size_t bytes = below + ((code ? code->bytes : sizeof(struct ascribe_row)) + 31) / 32 * 32;
  if (rows_used == ROWS || memory_used + bytes > MEMORY) abort();
  struct ascribe_row *row = (void *)(memory + memory_used + below);
  memory_used += bytes;
  rows[rows_used++] = row;
  row->function = code ? code->number : ASCRIBE_ROW_OTHER;
  row->context = context;
  row->beside = ~1u;
  row->outer = outer ? outer : (uint64_t)row;
  row->code = code;
  return row;
}

/* A jump leaves the function: the callee puts back what it would have put back. */
static bool passes_outer_on(const struct ascribe_row *from, const struct ascribe_site *site) {
  return site->kind & ASCRIBE_SITE_TAIL && from->outer != (uint64_t)from;
}

static struct ascribe_row *row_after(struct ascribe_row *from, const struct ascribe_site *site,
                                     struct ascribe_function *code) {
  bool continues = (site->kind & ASCRIBE_SITE_KINDS) == ASCRIBE_SITE_CONTINUES;
  uint64_t callee = at_distance(&code->code);
  uint32_t context = continues ? from->context : context_step(from->context, callee);
  return row_of(context, code, passes_outer_on(from, site) ? from->outer : 0);
}

static struct ascribe_row *count_call(const struct ascribe_row *from, uint64_t callee,
                                      uint64_t site, struct ascribe_row *to) {
  uint32_t at = 0;
  while (at < calls_used && (calls[at].from != from || calls[at].callee != callee ||
                             calls[at].site != site || calls[at].to != to))
    at++;
  if (at == CALLS) abort();
  if (at == calls_used) calls[calls_used++] = (struct call){from, callee, site, to, 0};
  calls[at].count++;
  return to;
}

static void *slot_of(struct ascribe_row *row, const struct ascribe_site *site) {
  return (uint64_t *)row + site->place;
}

/* `at`: where the caller's stack ends; before a jump its frame. */
static struct ascribe_row *await(struct ascribe_row *own, uint64_t number, uint64_t callee,
                                 uint64_t at) {
  const struct ascribe_site *site = &own->code->sites[number];
  uint64_t arguments = site->kind & ASCRIBE_SITE_TAIL ? 0 : 16ul * site->arguments;
  pending = (struct pending){.from = own,
                             .cell = passes_outer_on(own, site) ? (void *)own->outer : tagged(own),
                             .site = number,
                             .callee = callee,
                             .frame_least = at - arguments,
                             .frame_most = at};
  return pending.cell;
}

static struct ascribe_row *call_direct(struct ascribe_row *own, uint64_t number, uint64_t at) {
  struct ascribe_site *site = &own->code->sites[number];
  struct ascribe_function *callee = known_callee(site);
  if (!callee && !passes_outer_on(own, site)) callee = (void *)site->learned;
  if (!callee) return await(own, number, 0, at);
  struct ascribe_slot_direct *slot = (void *)slot_of(own, site);
  slot->count++;
  slot->next = (uint64_t)row_after(own, site, callee);
  return (void *)slot->next;
}

struct ascribe_row *fixture_row_call(struct ascribe_row *own, const uint64_t *pushed) {
  return call_direct(own, pushed[0], (uint64_t)(pushed + 1));
}

struct ascribe_row *fixture_row_jump(struct ascribe_row *own, const uint64_t *pushed) {
  return call_direct(own, pushed[0], pushed[1]);
}

struct ascribe_row *fixture_row_call_pointer(struct ascribe_row *own, const uint64_t *pushed) {
  return await(own, pushed[0], pushed[1], (uint64_t)(pushed + 2));
}

struct ascribe_row *fixture_row_jump_pointer(struct ascribe_row *own, const uint64_t *pushed) {
  return await(own, pushed[0], pushed[1], pushed[2]);
}

static struct ascribe_row *enter_pending(struct ascribe_function *code) {
  struct ascribe_row *from = pending.from;
  struct ascribe_site *site = &from->code->sites[pending.site];
  struct ascribe_row *to = row_after(from, site, code);
  void *slot = slot_of(from, site);
  struct ascribe_slot_direct *direct = slot;
  struct ascribe_slot_pointer *pointer = slot;
  bool keep = !passes_outer_on(from, site);
  if (!pending.callee) {
    site->learned = (uint64_t)code;
    direct->next = keep ? (uint64_t)to : 0;
    direct->count++;
  } else if (!pointer->callee && keep) {
    *pointer = (struct ascribe_slot_pointer){(uint64_t)to, 1, pending.callee, 0};
  } else {
    count_call(from, at_distance(&code->code), pending.site, to);
  }
  return to;
}

struct ascribe_row *fixture_row_enter(struct ascribe_function *code, const uint64_t *pushed) {
  struct ascribe_row *cell = ascribe_cell.row, *own;
  uint64_t frame = pushed[0];
  if (pending.from && cell == pending.cell && frame >= pending.frame_least &&
      frame <= pending.frame_most) {
    own = enter_pending(code);
  } else {
    uint64_t callee = at_distance(&code->code), site = ((uint64_t *)frame)[-1];
    uint32_t context = context_step(untagged(cell)->context, callee);
    own = count_call(cell, callee, site, row_of(context, code, (uint64_t)cell));
  }
  pending.from = NULL;
  if (!code->keeps_cell) ascribe_cell.row = own;
  return own;
}

struct ascribe_row *fixture_enter(uint64_t callee, const uint64_t *pushed) {
  struct ascribe_row *from = untagged(ascribe_cell.row);
  return count_call(from, callee, pushed[0], row_of(context_step(from->context, callee), NULL, 0));
}

static unsigned long calls_at(struct ascribe_row *row, const struct ascribe_site *site,
                              uint64_t callee) {
  uint64_t *leaf = slot_of(row, site);
  struct ascribe_slot_direct *slot = slot_of(row, site); /* a pointer's begins alike */
  struct ascribe_function *known = known_callee(site);
  switch (site->kind & ASCRIBE_SITE_KINDS) {
  case ASCRIBE_SITE_CONTINUES:
    return 0;
  case ASCRIBE_SITE_LEAF:
    return at_distance(&known->code) == callee ? *leaf : 0;
  case ASCRIBE_SITE_POINTER:
    known = slot->next ? ((struct ascribe_row *)slot->next)->code : NULL;
    break;
  default:
    if (!known) known = (void *)site->learned;
  }
  return known && at_distance(&known->code) == callee ? slot->count : 0;
}

unsigned long fixture_calls(const void *address) {
  unsigned long sum = 0;
  for (uint32_t i = 0; i < calls_used; i++)
    if (calls[i].callee == (uint64_t)address) sum += calls[i].count;
  for (uint32_t i = 0; i < rows_used; i++)
    for (uint32_t site = 0; rows[i]->code && site < rows[i]->code->site_count; site++)
      sum += calls_at(rows[i], &rows[i]->code->sites[site], (uint64_t)address);
  return sum;
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
  write_path(untagged(ascribe_cell.row)->context, text, sizeof(text));
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
