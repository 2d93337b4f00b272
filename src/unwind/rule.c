#include "unwind/rule.h"

#include "unwind/entry.h"
#include "unwind/frame_expression.h"
#include "unwind/frame_row.h"
#include "unwind/signal_context.h"

static const struct unwind_rule needs_row = {.kind = UNWIND_RULE_ROW};

static bool take(struct byte_cursor *code, uint8_t byte) {
  return byte_cursor_number(code, 1) == byte && !code->failed;
}
static bool at_end(const struct byte_cursor *code) {
  return code->at == code->end && !code->failed;
}

/* A register plus an offset. */
static bool take_base(struct byte_cursor *code, uint8_t *base, int64_t *offset) {
  uint64_t number = byte_cursor_number(code, 1) - EXPRESSION_REGISTER;
  *offset = byte_cursor_sleb(code);
  *base = (uint8_t)number;
  return number < UNWIND_RIP && !code->failed;
}

static bool is_base(struct byte_cursor code, uint8_t base, int64_t offset) {
  uint8_t found_base;
  int64_t found_offset;
  return take_base(&code, &found_base, &found_offset) && at_end(&code) && found_base == base &&
         found_offset == offset;
}

/* After the base, what linkers write for stubs: + ((rip & 15) >= addend) * 8. */
static bool take_stub(struct byte_cursor *code, int8_t *addend) {
  if (!take(code, EXPRESSION_REGISTER + UNWIND_RIP) || !take(code, 0) ||
      !take(code, EXPRESSION_LITERAL + 15) || !take(code, EXPRESSION_AND))
    return false;
  *addend = (int8_t)(byte_cursor_number(code, 1) - EXPRESSION_LITERAL);
  return *addend >= 0 && *addend < 16 && take(code, EXPRESSION_GREATER_EQUAL) &&
         take(code, EXPRESSION_LITERAL + 3) && take(code, EXPRESSION_SHIFT_LEFT) &&
         take(code, EXPRESSION_PLUS) && at_end(code);
}

/* After the base: a load, plus perhaps a small number. */
static bool take_load(struct byte_cursor *code, int8_t *addend) {
  *addend = 0;
  if (!take(code, EXPRESSION_DEREFERENCE)) return false;
  if (at_end(code)) return true;
  if (!take(code, EXPRESSION_PLUS_ULEB)) return false;
  uint64_t number = byte_cursor_uleb(code);
  *addend = (int8_t)number;
  return number <= INT8_MAX && at_end(code);
}

static struct unwind_rule pack_expression(struct byte_cursor code) {
  struct unwind_rule rule = {0};
  uint8_t base;
  int64_t offset;
  if (!take_base(&code, &base, &offset) || offset != (int32_t)offset) return needs_row;
  struct byte_cursor again = code;
  int8_t addend;
  if (take_load(&code, &addend))
    rule.kind = UNWIND_RULE_LOAD;
  else if (base == UNWIND_RSP && take_stub(&again, &addend))
    rule.kind = UNWIND_RULE_PLT;
  else
    return needs_row;
  rule.base = base & 15;
  rule.offset = (int32_t)offset;
  rule.addend = addend;
  return rule;
}

static struct unwind_rule pack_cfa(const struct unwind_tables *tables,
                                   const struct unwind_row *row) {
  if (row->cfa_is_expression)
    return pack_expression(unwind_expression_at(tables, row->cfa_expression));
  return (struct unwind_rule){
      .kind = UNWIND_RULE_REGISTER, .base = row->cfa_register & 15, .offset = row->cfa_offset};
}

/* False: there is no room for it. */
static bool pack_frame_pointer(const struct unwind_tables *tables, const struct unwind_row *row,
                               int16_t *frame_pointer) {
  int32_t value = row->value[UNWIND_RBP];
  switch (row->place[UNWIND_RBP]) {
  case UNWIND_UNSAID:
  case UNWIND_UNCHANGED:
    *frame_pointer = UNWIND_RBP_UNCHANGED;
    return true;
  case UNWIND_UNKNOWN:
    *frame_pointer = UNWIND_RBP_UNKNOWN;
    return true;
  case UNWIND_AT_EXPRESSION:
    *frame_pointer = UNWIND_RBP_AT_RBP;
    return is_base(unwind_expression_at(tables, value), UNWIND_RBP, 0);
  case UNWIND_AT_CFA:
    *frame_pointer = (int16_t)(value / 8);
    return value % 8 == 0 && *frame_pointer == value / 8 && *frame_pointer > UNWIND_RBP_UNKNOWN &&
           *frame_pointer != UNWIND_RBP_UNCHANGED;
  }
  return false;
}

/* As glibc describes it: every register at rsp plus its place in the ucontext. */
static bool is_signal_context(const struct unwind_tables *tables, const struct unwind_row *row) {
  if (row->sigreturn) return true;
  if (!row->signal_frame || !row->cfa_is_expression ||
      row->place[UNWIND_RIP] != UNWIND_AT_EXPRESSION)
    return false;
  struct unwind_rule cfa = pack_cfa(tables, row);
  return cfa.kind == UNWIND_RULE_LOAD && cfa.base == UNWIND_RSP && cfa.addend == 0 &&
         cfa.offset == SIGNAL_CONTEXT_RSP &&
         is_base(unwind_expression_at(tables, row->value[UNWIND_RIP]), UNWIND_RSP,
                 SIGNAL_CONTEXT_RIP);
}

static struct unwind_rule pack(const struct unwind_tables *tables, const struct unwind_row *row) {
  if (is_signal_context(tables, row)) return (struct unwind_rule){.kind = UNWIND_RULE_SIGNAL};
  uint8_t pc = row->place[UNWIND_RIP];
  if (pc == UNWIND_UNKNOWN) return (struct unwind_rule){.kind = UNWIND_RULE_OUTERMOST};
  struct unwind_rule rule = pack_cfa(tables, row);
  if (row->signal_frame || pc != UNWIND_AT_CFA || row->value[UNWIND_RIP] != -8 ||
      row->place[UNWIND_RSP] != UNWIND_UNSAID ||
      !pack_frame_pointer(tables, row, &rule.frame_pointer))
    return needs_row;
  return rule;
}

struct unwind_rule unwind_find_rule(const struct unwind_tables *tables, uint64_t address) {
  struct unwind_row row;
  if (unwind_find_row(tables, address, &row) == 0) return pack(tables, &row);
  bool left_out = unwind_entries_left_out(tables, address);
  return (struct unwind_rule){.kind = left_out ? UNWIND_RULE_CHAIN : UNWIND_RULE_NONE};
}
