/* ascribe/hooks_inline.h works with the cell and the frames of these trees, not the thread's. */
#define ascribe_cell tree_cell
#define ascribe_frames tree_frames
#define ASCRIBE_HOOKS_CALLED
#include "ascribe/hook.h"

static struct ascribe_cell ascribe_cell;
static struct ascribe_frames *ascribe_frames;

#include "ascribe/hooks_inline.h"

#include "runtime/contexts/hook_trees.h"

#define FRAMES (TREE_DEPTH + 3)

/* Laid out as a thread's are, with a mask that leads to one slot. */
static struct {
  struct ascribe_gate gate;
  struct ascribe_slot slot;
} table __attribute__((aligned(64)));

static struct {
  struct ascribe_frames frames;
  struct ascribe_frame room[FRAMES];
} stack;

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
  uint32_t saved = cell->context;
  uint64_t site = (uint64_t)__builtin_return_address(0), callee = (uint64_t)(void *)tree_hooked;
  volatile struct ascribe_gate *gate = cell->gate;
  uint64_t mask = gate->mask, offset = gate->table;
  struct ascribe_slot *slot =
      (struct ascribe_slot *)((char *)gate + offset + (ASCRIBE_HASH(saved, callee, site) & mask));
  if (__builtin_expect(slot->from == saved && slot->callee == callee && slot->site == site, 1)) {
    __asm__ volatile("incq %0" : "+m"(slot->count));
    cell->context = slot->to;
  } else { /* another site: learn the key, as the slow path would */
    *slot = (struct ascribe_slot){saved, 0, callee, site, 1};
  }
  for (int i = 0; depth && i < 2; i++)
    tree_hooked(depth - 1);
  cell->context = saved;
}

TREE tree_framed(unsigned depth) {
  uint64_t frame = (uint64_t)__builtin_dwarf_cfa(), callee = (uint64_t)(void *)tree_framed;
  uint64_t site = (uint64_t)__builtin_return_address(0);
  if (table.slot.callee != callee || table.slot.site != site)
    table.slot = (struct ascribe_slot){0, 0, callee, site, 0};
  __ascribe_enter(callee, site, frame);
  for (int i = 0; depth && i < 2; i++)
    tree_framed(depth - 1);
  __ascribe_exit(callee, frame);
}

void hook_trees_prepare(void) {
  table.gate.table = sizeof table.gate;
  ascribe_cell.gate = &table.gate;
  stack.room[0].address = ~0ul;
  stack.frames.top = stack.room + 1;
  stack.frames.limit = stack.room + FRAMES;
  ascribe_frames = &stack.frames;
}
