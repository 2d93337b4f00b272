#include "symbols/code_walk.h"

#include <capstone/capstone.h>
#include <elf.h>

#include "base/memory.h"
#include "symbols/symbol_file.h"

struct walk {
  void (*take)(void *context, const struct code_step *step);
  void *context;
  csh engine;
  struct code_step step;
};

/* Memory at a fixed address: beside the instruction, or absolute. */
static bool names_memory(const struct walk *walk, const cs_x86_op *operand, uint64_t *address) {
  if (operand->type != X86_OP_MEM || operand->mem.index != X86_REG_INVALID ||
      operand->mem.segment != X86_REG_INVALID)
    return false;
  *address = (uint64_t)operand->mem.disp;
  if (operand->mem.base == X86_REG_RIP) *address += walk->step.next;
  return operand->mem.base == X86_REG_RIP || operand->mem.base == X86_REG_INVALID;
}

static void give(struct walk *walk, enum code_step_target to, uint64_t target) {
  walk->step.to = to;
  walk->step.target = target;
  walk->take(walk->context, &walk->step);
}

static void take_branch(struct walk *walk, const cs_x86 *code) {
  const cs_x86_op *operand = &code->operands[0];
  uint64_t address;
  if (code->op_count != 1) return;
  if (operand->type == X86_OP_IMM)
    give(walk, CODE_ADDRESS, (uint64_t)operand->imm);
  else if (names_memory(walk, operand, &address))
    give(walk, CODE_MEMORY, address);
  else
    give(walk, CODE_UNKNOWN, 0);
}

static void take_values(struct walk *walk, const cs_insn *found) {
  const cs_x86 *code = &found->detail->x86;
  uint64_t address;
  for (uint8_t i = 0; i < code->op_count; i++)
    if (code->operands[i].type == X86_OP_IMM)
      give(walk, CODE_ADDRESS, (uint64_t)code->operands[i].imm);
    else if (names_memory(walk, &code->operands[i], &address))
      give(walk, found->id == X86_INS_LEA ? CODE_ADDRESS : CODE_MEMORY, address);
}

static void take_instruction(struct walk *walk, const cs_insn *found) {
  bool call = cs_insn_group(walk->engine, found, CS_GRP_CALL);
  bool jump = !call && cs_insn_group(walk->engine, found, CS_GRP_JUMP);
  walk->step.kind = call ? CODE_CALL : jump ? CODE_JUMP : CODE_VALUE;
  walk->step.address = found->address;
  walk->step.next = found->address + found->size;
  if (call || jump)
    take_branch(walk, &found->detail->x86);
  else
    take_values(walk, found);
}

static void walk_code(struct walk *walk, const uint8_t *code, cs_insn *found) {
  uint64_t address = walk->step.start;
  size_t left = walk->step.end - walk->step.start;
  while (left > 0)
    if (cs_disasm_iter(walk->engine, &code, &left, &address, found))
      take_instruction(walk, found);
    else
      code++, left--, address++; /* no code: data between functions */
}

/* A symbol's code, up to the next one. */
static void walk_symbol(struct walk *walk, const struct symbol_file *file,
                        const struct text_symbols *text, size_t index, cs_insn *found) {
  const struct text_symbol *symbol = &text->list[index];
  uint64_t end = symbol->section_end;
  if (index + 1 < text->count && symbol[1].address < end) end = symbol[1].address;
  const uint8_t *code =
      end > symbol->address ? symbol_file_code(file, symbol->address, end - symbol->address) : NULL;
  if (!code) return;
  walk->step.symbol = index;
  walk->step.start = symbol->address;
  walk->step.end = end;
  walk_code(walk, code, found);
}

int code_walk(struct symbol_file *file, const struct text_symbols *text,
              void (*take)(void *context, const struct code_step *step), void *context,
              struct error *error) {
  struct walk walk = {.take = take, .context = context};
  if (text->machine != EM_X86_64 && text->machine != EM_386)
    return error_set(error, "%s is not code of x86: its calls cannot be read", file->path);
  cs_mode mode = text->machine == EM_X86_64 ? CS_MODE_64 : CS_MODE_32;
  if (cs_open(CS_ARCH_X86, mode, &walk.engine) != CS_ERR_OK)
    return error_set(error, "the disassembler cannot be started");
  cs_option(walk.engine, CS_OPT_DETAIL, CS_OPT_ON);
  cs_insn *found = cs_malloc(walk.engine);
  if (!found) memory_exhausted();
  for (size_t i = 0; i < text->count; i++)
    walk_symbol(&walk, file, text, i, found);
  cs_free(found, 1);
  cs_close(&walk.engine);
  return 0;
}
