#include "unwind/code.h"

#include "unwind/entry.h"
#include "unwind/segments.h"

#define LENGTH(bytes) (sizeof(bytes) - 1)
#define RESTORER_MOV 7 /* bytes of its first instruction */
#define ENTRY_POINT_BYTES 64
#define OPERAND 4 /* bytes of a place relative to rip */

/* mov $15 (rt_sigreturn),%rax; syscall. */
static const char restorer[] = "\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05";
/* mov %rbx,%rsp: where makecontext lets a coroutine's function return to. */
static const char coroutine_end[] = "\x48\x89\xdc";
/* mov %rsp,%rdi, first of all or after an xor: how the code that the kernel lets begin takes over
 * what stands on the stack. */
static const char take_stack[] = "\x48\x89\xe7";
/* endbr64; jmp *slot(%rip), with and without bnd. */
static const char branch_target[] = "\xf3\x0f\x1e\xfa";
static const char bound_jump[] = "\xf2\xff\x25";
static const char jump[] = "\xff\x25";

/* movb $1,completed(%rip); pop %rbp; ret: how gcc's own destructor of an object ends
 * (__do_global_dtors_aux), below which the object's others run. Before it there is a call. */
static const char completed[] = "\xc6\x05";
static const char leave[] = "\x01\x5d\xc3";
static const char call[] = "\xe8";

static bool code_is(const struct unwind_tables *tables, uint64_t address, const char *bytes,
                    uint64_t count) {
  const uint8_t *code;
  if (unwind_code_at(tables, address, &code) < count) return false;
  for (uint64_t i = 0; i < count; i++)
    if (code[i] != (uint8_t)bytes[i]) return false;
  return true;
}
#define CODE_IS(tables, address, bytes) code_is(tables, address, bytes, LENGTH(bytes))

static uint64_t after_branch_target(const struct unwind_tables *tables, uint64_t address) {
  return CODE_IS(tables, address, branch_target) ? address + LENGTH(branch_target) : address;
}

/* At its first instruction, at its second, or, as for return addresses, one byte before it. */
static bool is_restorer(const struct unwind_tables *tables, uint64_t address) {
  return CODE_IS(tables, address, restorer) || CODE_IS(tables, address + 1, restorer) ||
         CODE_IS(tables, address - RESTORER_MOV, restorer);
}

/* No call stands before it, as the function is returned to at its begin. */
static bool is_coroutine_end(const struct unwind_tables *tables, uint64_t address) {
  struct unwind_entry entry;
  uint64_t begin = address + 1;
  return CODE_IS(tables, after_branch_target(tables, begin), coroutine_end) &&
         unwind_entry_find(tables, begin, &entry) == 0 && entry.begin == begin;
}

/* Where a jump leaves the function, the return address is on top of the stack. */
static bool is_stub(const struct unwind_tables *tables, uint64_t address) {
  address = after_branch_target(tables, address);
  return CODE_IS(tables, address, jump) || CODE_IS(tables, address, bound_jump);
}

/* After one of the calls in it, from which on rbp points at the frame. */
static bool is_in_destructor(const struct unwind_tables *tables, uint64_t address) {
  uint64_t next = address + 1;
  if (CODE_IS(tables, next, call)) next += LENGTH(call) + OPERAND;
  return CODE_IS(tables, next, completed) &&
         CODE_IS(tables, next + LENGTH(completed) + OPERAND, leave);
}

/* Written by hand, a few instructions long. Libraries, too, may have an entry point by their
 * header: where their code begins. */
static bool is_entry_point(const struct unwind_tables *tables, uint64_t address) {
  uint64_t begin = tables->entry_point;
  return address - begin < ENTRY_POINT_BYTES &&
         (CODE_IS(tables, begin, take_stack) || CODE_IS(tables, begin + 2, take_stack) ||
          CODE_IS(tables, begin + 3, take_stack));
}

int unwind_row_of_code(const struct unwind_tables *tables, uint64_t address,
                       struct unwind_row *row) {
  if (is_in_destructor(tables, address)) {
    *row = (struct unwind_row){.cfa_register = UNWIND_RBP, .cfa_offset = 16};
    row->place[UNWIND_RIP] = row->place[UNWIND_RBP] = UNWIND_AT_CFA;
    row->value[UNWIND_RIP] = -8;
    row->value[UNWIND_RBP] = -16;
    return 0;
  }
  bool sigreturn = is_restorer(tables, address);
  bool ends = is_coroutine_end(tables, address) || is_entry_point(tables, address);
  if (!sigreturn && !ends && !is_stub(tables, address)) return -1;
  *row = (struct unwind_row){.sigreturn = sigreturn, .cfa_register = UNWIND_RSP, .cfa_offset = 8};
  row->place[UNWIND_RIP] = ends ? UNWIND_UNKNOWN : UNWIND_AT_CFA;
  row->value[UNWIND_RIP] = -8;
  return 0;
}
