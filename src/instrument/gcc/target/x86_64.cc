// x86-64: the statements of the hooks that GIMPLE cannot express, in both assembler dialects.
#include "instrument/common/early_gate.h"
#include "instrument/gcc/contexts/context_hooks.h"
#include "instrument/gcc/target/assembly.h"

#include "gimplify.h"

#include "ascribe/hook.h"

#ifndef __x86_64__
#error "the hooks' asm statements are written for x86-64 so far"
#endif

namespace ascribe {
namespace {

using operands = vec<tree, va_gc> *;

void add_operand(operands &list, const char *constraint, tree value) {
  tree text = build_string(strlen(constraint), constraint);
  vec_safe_push(list, build_tree_list(build_tree_list(NULL_TREE, text), value));
}

gasm *build_volatile_asm(const char *text, operands inputs, operands outputs,
                         operands clobbers = nullptr) {
  gasm *statement = gimple_build_asm_vec(text, inputs, outputs, clobbers, nullptr);
  gimple_asm_set_volatile(statement, true);
  gimple_asm_set_inline(statement, asked.expressions); // small, when it comes to inlining
  return statement;
}

// GCC does not fold volatile loads into arithmetic; volatile asm statements keep their order.
tree combine(appender &at, const char *text, tree value, tree memory) {
  operands outputs = nullptr, inputs = nullptr;
  tree result = make_temp_ssa_name(long_unsigned_type_node, nullptr, "ascribe");
  add_operand(outputs, "=r", result);
  add_operand(inputs, "0", value);
  add_operand(inputs, "m", memory);
  gasm *statement = build_volatile_asm(text, inputs, outputs);
  SSA_NAME_DEF_STMT(result) = statement;
  at.add(statement);
  return result;
}

} // namespace

tree and_memory(appender &at, tree value, tree memory) {
  return combine(at, "and{q}\t{%2, %0|%0, %2}", value, memory);
}

tree add_memory(appender &at, tree value, tree memory) {
  return combine(at, "add{q}\t{%2, %0|%0, %2}", value, memory);
}

void increment(appender &at, tree memory) {
  operands outputs = nullptr, inputs = nullptr;
  add_operand(outputs, "=m", memory);
  add_operand(inputs, "m", unshare_expr(memory));
  at.add(build_volatile_asm("inc{q}\t%0", inputs, outputs));
}

namespace {

tree build_asm_text(const char *text, operands inputs, tree output, bool is_barrier) {
  operands outputs = nullptr, clobbers = nullptr;
  if (output) add_operand(outputs, "=r", output);
  if (is_barrier)
    vec_safe_push(clobbers, build_tree_list(NULL_TREE, build_string(strlen("memory"), "memory")));
  auto list = [](operands from) {
    tree found = NULL_TREE;
    for (unsigned i = vec_safe_length(from); i-- > 0;)
      found = chainon((*from)[i], found);
    return found;
  };
  tree statement = build5(ASM_EXPR, void_type_node, build_string(strlen(text), text), list(outputs),
                          list(inputs), list(clobbers), NULL_TREE);
  ASM_VOLATILE_P(statement) = 1;
  return statement;
}

} // namespace

tree read_thread_word(tree variable, tree place) {
  operands inputs = nullptr;
  add_operand(inputs, "r", place);
  return build_asm_text("mov\t{%%fs:(%1), %0|%0, fs:[%1]}", inputs, variable, false);
}

tree write_thread_word(tree place, tree value) {
  operands inputs = nullptr;
  add_operand(inputs, "r", value);
  add_operand(inputs, "r", place);
  return build_asm_text("mov\t{%0, %%fs:(%1)|fs:[%1], %0}", inputs, NULL_TREE, true);
}

tree increment_at(tree address) {
  operands inputs = nullptr;
  add_operand(inputs, "r", address);
  return build_asm_text("{incq\t(%0)|inc\tQWORD PTR [%0]}", inputs, NULL_TREE, true);
}

namespace {

// At the label 770. `callee`: its symbol, or null.
std::string place_of_site(size_t function, unsigned site, const char *callee) {
  std::string text = places_section(function) + "\n\t.long\t770b-., " + std::to_string(site);
  if (callee) text += std::string("\n\t.reloc\t., R_X86_64_PLT32, ") + callee; // as a call's
  return text + "\n\t.long\t0\n\t.popsection";
}

} // namespace

gimple *mark_site(size_t function, unsigned site) {
  std::string text = "770:\n" + place_of_site(function, site, nullptr);
  return build_volatile_asm(text.c_str(), nullptr, nullptr);
}

gimple *count_site(tree memory, size_t function, unsigned site, const char *callee) {
  std::string text = "770:\tinc{q}\t%0\n" + place_of_site(function, site, callee);
  operands outputs = nullptr, inputs = nullptr;
  add_operand(outputs, "=m", memory);
  add_operand(inputs, "m", unshare_expr(memory));
  return build_volatile_asm(text.c_str(), inputs, outputs);
}

static_assert(offsetof(ascribe_unit, mask) == 8 && offsetof(ascribe_counting, word) == 0 &&
                  offsetof(ascribe_counting, gate) == 8 &&
                  offsetof(ascribe_counting, enter_slow) == 16,
              "the offsets are written as text");

namespace {

// The unit's entry stays where linkers leave out sections that nobody refers to (--gc-sections).
std::string keep_unit() {
  static tree last;
  if (last == current_function_decl) return "";
  last = current_function_decl;
  return ".reloc\t., R_X86_64_NONE, .Lascribe_unit\n\t";
}

// One instruction that needs no register: with its segment's base it is in the thread's area.
gimple *count_by_segment(const std::string &offset) {
  std::string text = keep_unit() + "{incq\t%%gs:.Lascribe_counters+" + offset +
                     "(%%rip)|inc\tQWORD PTR gs:.Lascribe_counters[rip+" + offset + "]}";
  return build_volatile_asm(text.c_str(), nullptr, nullptr);
}

gimple *count_by_word(const std::string &offset) {
  static const char in_library[] = "{movq\t.Lascribe_unit+8(%%rip), %0"
                                   "\n\tmovq\tascribe_counting(%%rip), %1"
                                   "\n\tandq\t%%fs:(%1), %0"
                                   "\n\taddq\t.Lascribe_unit(%%rip), %0"
                                   "|mov\t%0, QWORD PTR .Lascribe_unit[rip+8]"
                                   "\n\tmov\t%1, QWORD PTR ascribe_counting[rip]"
                                   "\n\tand\t%0, QWORD PTR fs:[%1]"
                                   "\n\tadd\t%0, QWORD PTR .Lascribe_unit[rip]}";
  static const char in_executable[] = "{movq\t.Lascribe_unit(%%rip), %0"
                                      "\n\taddq\t%%fs:ascribe.counts@tpoff, %0"
                                      "|mov\t%0, QWORD PTR .Lascribe_unit[rip]"
                                      "\n\tadd\t%0, QWORD PTR fs:ascribe.counts@tpoff}";
  std::string text = for_shared_library() ? in_library : in_executable;
  text += "\n\t{incq\t" + offset + "(%0)|inc\tQWORD PTR [%0+" + offset + "]}";
  operands outputs = nullptr;
  std::vector<tree> scratch;
  for (int i = 0; i < (for_shared_library() ? 2 : 1); i++) {
    scratch.push_back(make_temp_ssa_name(long_unsigned_type_node, nullptr, "ascribe_counters"));
    add_operand(outputs, "=&r", scratch.back());
  }
  gasm *statement = build_volatile_asm(text.c_str(), nullptr, outputs);
  for (tree name : scratch)
    SSA_NAME_DEF_STMT(name) = statement;
  return statement;
}

// How far a counter is from its base.
std::string distance(const counter_place &place) {
  return std::to_string(8 * (long)place.counter - 8 * (long)place.from);
}

gimple *count_by_base(const counter_place &place) {
  std::string text =
      "{incq\t%%gs:" + distance(place) + "(%0)|inc\tQWORD PTR gs:[%0+" + distance(place) + "]}";
  operands inputs = nullptr;
  add_operand(inputs, "r", place.base);
  return build_volatile_asm(text.c_str(), inputs, nullptr);
}

} // namespace

// In this thread's area (include/ascribe/hook.h). Only these asm statements touch counters.
gimple *count(const counter_place &place) {
  if (place.base) return count_by_base(place);
  std::string offset = std::to_string(8 * place.counter);
  return counts_by_segment() ? count_by_segment(offset) : count_by_word(offset);
}

// A pointer.
tree load_base(size_t counter, gasm **statement) {
  std::string offset = std::to_string(8 * counter);
  std::string text = keep_unit() + "lea{q}\t{.Lascribe_counters+" + offset +
                     "(%%rip), %0|%0, .Lascribe_counters[rip+" + offset + "]}";
  operands outputs = nullptr;
  tree value = make_temp_ssa_name(ptr_type_node, nullptr, "ascribe_base");
  add_operand(outputs, "=r", value);
  *statement = build_volatile_asm(text.c_str(), nullptr, outputs);
  SSA_NAME_DEF_STMT(value) = *statement;
  return value;
}

tree counter_address(appender &at, size_t counter) {
  gasm *statement;
  tree value = load_base(counter, &statement);
  at.add(statement);
  return at.widen(value);
}

tree load_cell(appender &at, size_t counter) {
  std::string offset = std::to_string(8 * counter);
  std::string text = "{movq\t.Lascribe_unit(%%rip), %0\n\tmovq\t" + offset +
                     "(%0), %0|mov\t%0, QWORD PTR .Lascribe_unit[rip]\n\tmov\t%0, QWORD PTR [%0+" +
                     offset + "]}";
  operands outputs = nullptr;
  tree value = make_temp_ssa_name(long_unsigned_type_node, nullptr, "ascribe_callee");
  add_operand(outputs, "=r", value);
  gasm *statement = build_volatile_asm(text.c_str(), nullptr, outputs);
  SSA_NAME_DEF_STMT(value) = statement;
  at.add(statement);
  return value;
}

tree claim_cell(appender &at, tree callee, size_t counter) {
  std::string offset = std::to_string(8 * counter);
  std::string text = "xor{l}\t%k0, %k0"
                     "\n\t{movq\t.Lascribe_unit(%%rip), %1"
                     "\n\tlock cmpxchgq\t%2, " +
                     offset +
                     "(%1)"
                     "\n\tcmoveq\t%2, %0"
                     "|mov\t%1, QWORD PTR .Lascribe_unit[rip]"
                     "\n\tlock cmpxchg\tQWORD PTR [%1+" +
                     offset +
                     "], %2"
                     "\n\tcmove\t%0, %2}";
  operands outputs = nullptr, inputs = nullptr;
  tree value = make_temp_ssa_name(long_unsigned_type_node, nullptr, "ascribe_callee");
  tree unit = make_temp_ssa_name(long_unsigned_type_node, nullptr, "ascribe_unit");
  add_operand(outputs, "=&a", value);
  add_operand(outputs, "=&r", unit);
  add_operand(inputs, "r", callee);
  gasm *statement = build_volatile_asm(text.c_str(), inputs, outputs);
  SSA_NAME_DEF_STMT(value) = SSA_NAME_DEF_STMT(unit) = statement;
  at.add(statement);
  return value;
}

// Of executables. The site is told by the address of its cell. The call keeps to what
// count_callee.S says of the stack, so that a tick there finds its way out.
gimple *count_other_callee(tree callee, const counter_place &cell, bool keeps_red_zone) {
  std::string offset = std::to_string(8 * cell.counter);
  std::string address = "{.Lascribe_counters+" + offset +
                        "(%%rip), %%rax|rax, .Lascribe_counters[rip+" + offset + "]}";
  if (cell.base) address = "{" + distance(cell) + "(%2), %%rax|rax, [%2+" + distance(cell) + "]}";
  std::string text = keeps_red_zone ? "lea{q}\t{-128(%%rsp), %%rsp|rsp, [rsp-128]}\n\t" : "";
  text += "push{q}\t%1"
          "\n\tlea{q}\t" +
          address +
          "\n\tcall\t{*ascribe_count_callee@GOTPCREL(%%rip)"
          "|[QWORD PTR ascribe_count_callee@GOTPCREL[rip]]}";
  text +=
      keeps_red_zone ? "\n\tlea{q}\t{136(%%rsp), %%rsp|rsp, [rsp+136]}" : "\n\tpop{q}\t{%%rax|rax}";
  operands outputs = nullptr, inputs = nullptr;
  tree scratch = make_temp_ssa_name(long_unsigned_type_node, nullptr, "ascribe_cell");
  add_operand(outputs, "=&a", scratch);
  add_operand(inputs, "r", callee);
  if (cell.base) add_operand(inputs, "r", cell.base);
  gasm *statement = build_volatile_asm(text.c_str(), inputs, outputs);
  SSA_NAME_DEF_STMT(scratch) = statement;
  return statement;
}

// It is called directly: the same executable has a definition, with the runtime or without. r11
// holds no argument of the call that is counted.
gimple *count_call(tree callee, const counter_place &cell, bool keeps_red_zone) {
  std::string offset = std::to_string(8 * cell.counter);
  std::string address = "{.Lascribe_counters+" + offset +
                        "(%%rip), %%r11|r11, .Lascribe_counters[rip+" + offset + "]}";
  if (cell.base) address = "{" + distance(cell) + "(%1), %%r11|r11, [%1+" + distance(cell) + "]}";
  std::string text = "lea{q}\t" + address + "\n\tcall\tascribe_count_call";
  if (keeps_red_zone)
    text = "add{q}\t{$-128, %%rsp|rsp, -128}\n\t" + text +
           "_below\n\tsub{q}\t{$-128, %%rsp|rsp, -128}";
  operands inputs = nullptr, clobbers = nullptr;
  add_operand(inputs, "a", callee);
  if (cell.base) add_operand(inputs, "r", cell.base);
  vec_safe_push(clobbers, build_tree_list(NULL_TREE, build_string(3, "r11")));
  return build_volatile_asm(text.c_str(), inputs, nullptr, clobbers);
}

// The runtime, from the rare ways of the hooks. It is called through the GOT at every use: a lazily
// bound PLT entry would not keep all registers.  It takes off what was pushed, in this order, but
// for `left` bytes.
namespace {

tree call_runtime(appender &at, std::string target, tree first, const std::vector<tree> &pushed,
                  bool keeps_red_zone, int left = 0) {
  std::string text, above = std::to_string(left + 128);
  for (size_t i = 0; i < pushed.size(); i++)
    text += "push{q}\t%" + std::to_string(2 + i) + "\n\t";
  text += "call\t{*" + target + "(%%rip)|[QWORD PTR " + target + "[rip]]}";
  if (keeps_red_zone)
    text = "add{q}\t{$-128, %%rsp|rsp, -128}\n\t" + text + "\n\tsub{q}\t{$-" + above +
           ", %%rsp|rsp, -" + above + "}";
  operands outputs = nullptr, inputs = nullptr;
  tree result = make_temp_ssa_name(TREE_TYPE(first), nullptr, "ascribe_row");
  add_operand(outputs, "=a", result);
  add_operand(inputs, "0", first);
  for (tree value : pushed)
    add_operand(inputs, TREE_CODE(value) == INTEGER_CST ? "i" : "r", value);
  gasm *statement = build_volatile_asm(text.c_str(), inputs, outputs);
  SSA_NAME_DEF_STMT(result) = statement;
  at.add(statement);
  return result;
}

} // namespace

tree call_row_enter(appender &at, tree function, tree frame) {
  return call_runtime(at, "ascribe_row_enter@GOTPCREL", function, {frame}, true);
}

tree call_row_call(appender &at, tree own, unsigned site, tree callee) {
  if (!callee) return call_runtime(at, "ascribe_row_call@GOTPCREL", own, {u64(site)}, false);
  return call_runtime(at, "ascribe_row_call_pointer@GOTPCREL", own, {callee, u64(site)}, false);
}

tree call_row_jump(appender &at, tree own, unsigned site, tree callee, tree frame) {
  if (!callee) return call_runtime(at, "ascribe_row_jump@GOTPCREL", own, {frame, u64(site)}, true);
  return call_runtime(at, "ascribe_row_jump_pointer@GOTPCREL", own, {frame, callee, u64(site)},
                      true);
}

tree call_slow(appender &at, tree callee, tree site) {
  tree own = call_runtime(at, "ascribe_counting+16", callee, {site}, true, 8);
  tree context = make_temp_ssa_name(uint32_type_node, nullptr, "ascribe_own");
  at.add(gimple_build_assign(context, NOP_EXPR, own));
  return context;
}

gimple *read_clock() {
  static const char text[] = "lea{q}\t{-128(%%rsp), %%rsp|rsp, [rsp-128]}"
                             "\n\tcall\t{*ascribe_read_clock@GOTPCREL(%%rip)"
                             "|[QWORD PTR ascribe_read_clock@GOTPCREL[rip]]}"
                             "\n\tlea{q}\t{128(%%rsp), %%rsp|rsp, [rsp+128]}";
  return build_volatile_asm(text, nullptr, nullptr);
}

gimple *give_gate() {
  std::string text = "{|.att_syntax prefix\n\t}";
  for (const char *from = GIVE_GATE; *from; from++)
    text += *from == '%' ? "%%" : std::string(1, *from);
  text += "{|\n\t.intel_syntax noprefix}";
  return build_volatile_asm(text.c_str(), nullptr, nullptr);
}

namespace {

// `text` with %0 its result and %1 its input, if it has one.
tree compute(appender &at, const char *text, tree input) {
  operands outputs = nullptr, inputs = nullptr;
  tree result = make_temp_ssa_name(long_unsigned_type_node, nullptr, "ascribe");
  add_operand(outputs, "=r", result);
  if (input) add_operand(inputs, "r", input);
  gasm *statement = build_volatile_asm(text, inputs, outputs);
  SSA_NAME_DEF_STMT(result) = statement;
  at.add(statement);
  return result;
}

} // namespace

tree load_row(appender &at) {
  if (!for_shared_library()) return at.load(ptr_type_node, cell_row());
  tree row = compute(at,
                     "{movq\tascribe.row@gottpoff(%%rip), %0\n\tmovq\t%%fs:(%0), %0"
                     "|mov\t%0, QWORD PTR ascribe.row@gottpoff[rip]"
                     "\n\tmov\t%0, QWORD PTR fs:[%0]}",
                     NULL_TREE);
  return at.load(ptr_type_node, build1(NOP_EXPR, ptr_type_node, row));
}

// The offset is loaded anew, which keeps GCC from holding it in a register (or on the stack) from
// the entry to the exits.
gimple *store_row_in_library(tree row) {
  static const char text[] = "{movq\tascribe.row@gottpoff(%%rip), %0"
                             "\n\tmovq\t%1, %%fs:(%0)"
                             "|mov\t%0, QWORD PTR ascribe.row@gottpoff[rip]"
                             "\n\tmov\tQWORD PTR fs:[%0], %1}";
  operands outputs = nullptr, inputs = nullptr;
  tree scratch = make_temp_ssa_name(long_unsigned_type_node, nullptr, "ascribe_offset");
  add_operand(outputs, "=&r", scratch);
  add_operand(inputs, "r", row);
  gasm *statement = build_volatile_asm(text, inputs, outputs);
  SSA_NAME_DEF_STMT(scratch) = statement;
  return statement;
}

tree load_unit_mask(appender &at) {
  return compute(at, "{movq\t.Lascribe_unit+8(%%rip), %0|mov\t%0, QWORD PTR .Lascribe_unit[rip+8]}",
                 NULL_TREE);
}

tree load_gate_as_told(appender &at) {
  return compute(at,
                 "{movq\tascribe_counting+8(%%rip), %0"
                 "\n\tmovq\t%%fs:(%0), %0"
                 "|mov\t%0, QWORD PTR ascribe_counting[rip+8]"
                 "\n\tmov\t%0, QWORD PTR fs:[%0]}",
                 NULL_TREE);
}

} // namespace ascribe
