#include "symbols/pointer_origin.h"

static struct pointer_origin of_memory(const cs_insn *instruction, const x86_op_mem *memory) {
  struct pointer_origin unknown = {0}, origin = {.kind = ORIGIN_MEMORY,
                                                 .address = (uint64_t)memory->disp,
                                                 .indexed = memory->index != X86_REG_INVALID};
  if (memory->base == X86_REG_RIP)
    origin.address += instruction->address + instruction->size;
  else if (memory->base != X86_REG_INVALID)
    return unknown;
  return origin;
}

/* Writing to the lower half of a register clears the upper one. */
static x86_reg whole_register(x86_reg part) {
  static const x86_reg pairs[][2] = {
      {X86_REG_EAX, X86_REG_RAX},  {X86_REG_EBX, X86_REG_RBX},  {X86_REG_ECX, X86_REG_RCX},
      {X86_REG_EDX, X86_REG_RDX},  {X86_REG_ESI, X86_REG_RSI},  {X86_REG_EDI, X86_REG_RDI},
      {X86_REG_EBP, X86_REG_RBP},  {X86_REG_R8D, X86_REG_R8},   {X86_REG_R9D, X86_REG_R9},
      {X86_REG_R10D, X86_REG_R10}, {X86_REG_R11D, X86_REG_R11}, {X86_REG_R12D, X86_REG_R12},
      {X86_REG_R13D, X86_REG_R13}, {X86_REG_R14D, X86_REG_R14}, {X86_REG_R15D, X86_REG_R15}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (pairs[i][0] == part) return pairs[i][1];
  return part;
}

/* What an instruction leaves in its first operand, which is a register. */
static struct pointer_origin of_result(const cs_insn *instruction) {
  static const struct pointer_origin unknown;
  const cs_x86 *x86 = &instruction->detail->x86;
  const cs_x86_op *from = x86->op_count == 2 ? &x86->operands[1] : NULL;
  if (!from) return unknown;
  if (instruction->id == X86_INS_ADD) return (struct pointer_origin){.kind = ORIGIN_SUM};
  if (instruction->id == X86_INS_MOV && from->type == X86_OP_MEM)
    return of_memory(instruction, &from->mem);
  if (instruction->id == X86_INS_MOV && from->type == X86_OP_IMM)
    return (struct pointer_origin){.kind = ORIGIN_PLACE, .address = (uint64_t)from->imm};
  if (instruction->id == X86_INS_LEA && from->mem.base == X86_REG_RIP)
    return (struct pointer_origin){.kind = ORIGIN_PLACE,
                                   .address = of_memory(instruction, &from->mem).address};
  return unknown;
}

void pointer_origins_note(struct pointer_origins *origins, const cs_insn *instruction) {
  static const struct pointer_origins unknown;
  const cs_detail *detail = instruction->detail;
  if (instruction->id == X86_INS_CALL || instruction->id == X86_INS_LCALL) {
    *origins = unknown;
    return;
  }
  for (int i = 0; i < detail->regs_write_count; i++)
    origins->of[whole_register(detail->regs_write[i])] = (struct pointer_origin){0};
  for (int i = 0; i < detail->x86.op_count; i++) {
    const cs_x86_op *operand = &detail->x86.operands[i];
    if (operand->type == X86_OP_REG && operand->access & CS_AC_WRITE)
      origins->of[whole_register(operand->reg)] =
          i == 0 ? of_result(instruction) : (struct pointer_origin){0};
  }
}

struct pointer_origin pointer_origin_of(const struct pointer_origins *origins,
                                        const cs_insn *instruction, const cs_x86_op *operand) {
  if (operand->type == X86_OP_REG) return origins->of[whole_register(operand->reg)];
  if (operand->type == X86_OP_MEM) return of_memory(instruction, &operand->mem);
  return (struct pointer_origin){0};
}
