/* ascribe/hooks_inline.h works with the cell and the frames of these trees, not the thread's. */
#define ascribe_cell tree_cell
#define ascribe_frames tree_frames
#define ASCRIBE_HOOKS_CALLED
#include "ascribe/hook.h"

static struct ascribe_cell ascribe_cell;
static struct ascribe_frames *ascribe_frames;
static void *tree_count(unsigned long callee, unsigned long site);
#define __ASCRIBE_COUNT tree_count

#include "ascribe/hooks_inline.h"

#include "runtime/contexts/hook_trees.h"

#define FRAMES (TREE_DEPTH + 3)
#define NUMBER 3

/* A row whose function calls itself at one site. */
static struct {
  struct ascribe_row row;
  struct ascribe_slot_direct slot;
} recursive __attribute__((aligned(64)));

static struct {
  struct ascribe_gate gate;
  struct ascribe_slot slot;
} table __attribute__((aligned(64)));

static struct {
  struct ascribe_frames frames;
  struct ascribe_frame room[FRAMES];
} stack;

/* As machine_known does in its home slot. */
static __attribute__((noinline, noclone)) void *tree_count(unsigned long callee,
                                                           unsigned long site) {
  struct ascribe_slot *slot =
      (struct ascribe_slot *)((char *)&table.gate + table.gate.table +
                              (ASCRIBE_HASH(0, callee, site) & table.gate.mask));
  if (slot->callee != callee || slot->site != site) {
    slot->callee = callee;
    slot->site = site;
  }
  __asm__ volatile("incq %0" : "+m"(slot->count));
  return &recursive.row;
}

static uint64_t counters[TREE_COUNTERS];

#define TREE __attribute__((noinline, noclone)) void
#define NOT_A_TAIL() __asm__ volatile("")

TREE tree_bare(unsigned depth) {
  for (int i = 0; depth && i < 2; i++)
    tree_bare(depth - 1);
  NOT_A_TAIL();
}

TREE tree_counted(unsigned depth) {
#pragma GCC unroll 32
  for (int i = 0; i < TREE_COUNTERS; i++)
    __asm__ volatile("incq %0" : "+m"(counters[i]));
  for (int i = 0; depth && i < 2; i++)
    tree_counted(depth - 1);
  NOT_A_TAIL();
}

TREE tree_hooked(unsigned depth) {
  volatile struct ascribe_cell *cell = &ascribe_cell;
  struct ascribe_row *own = cell->row;
  if (__builtin_expect(own->function != NUMBER, 0)) own = &recursive.row;
  struct ascribe_slot_direct *slot = &((__typeof__(recursive) *)own)->slot;
  for (int i = 0; depth && i < 2; i++) {
    struct ascribe_row *next = (struct ascribe_row *)slot->next;
    if (__builtin_expect(!next, 0)) next = own;
    __asm__ volatile("incq %0" : "+m"(slot->count));
    cell->row = next;
    tree_hooked(depth - 1);
    cell->row = own;
  }
  cell->row = (struct ascribe_row *)own->outer;
}

TREE tree_framed(unsigned depth) {
  uint64_t frame = (uint64_t)__builtin_dwarf_cfa(), callee = (uint64_t)(void *)tree_framed;
  __ascribe_enter(callee, (uint64_t)__builtin_return_address(0), frame);
  for (int i = 0; depth && i < 2; i++)
    tree_framed(depth - 1);
  __ascribe_exit(callee, frame);
}

void hook_trees_prepare(void) {
  table.gate.table = sizeof table.gate;
  ascribe_cell.gate = &table.gate;
  ascribe_cell.row = &recursive.row;
  recursive.row.function = NUMBER;
  recursive.row.outer = recursive.slot.next = (uint64_t)&recursive.row;
  stack.room[0].address = ~0ul;
  stack.frames.top = stack.room + 1;
  stack.frames.limit = stack.room + FRAMES;
  ascribe_frames = &stack.frames;
}
