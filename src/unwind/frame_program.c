#include "unwind/frame_program.h"

#include "unwind/frame_instruction.h"
#include "unwind/pointer_encoding.h"

#define REMEMBERED_MOST 4 /* states; compilers nest them one deep */
#define STEPS_MOST (1u << 16)

struct machine {
  const struct unwind_tables *tables;
  const struct unwind_entry *entry;
  struct byte_cursor code;
  uint64_t location;
  struct unwind_row *row;
  struct unwind_row initial; /* what "restore" restores */
  struct unwind_row remembered[REMEMBERED_MOST];
  uint32_t remembered_count;
  bool failed;
};

/* As large as it fits into a row. */
static int32_t narrow(struct machine *machine, int64_t value) {
  if (value != (int32_t)value) machine->failed = true;
  return (int32_t)value;
}
static int64_t factored(struct machine *machine, int64_t value) {
  int64_t result;
  if (__builtin_mul_overflow(value, machine->entry->data_alignment, &result))
    machine->failed = true;
  return result;
}
static int64_t operand_factored(struct machine *machine) {
  return factored(machine, (int64_t)byte_cursor_uleb(&machine->code));
}
static int64_t operand_signed_factored(struct machine *machine) {
  return factored(machine, byte_cursor_sleb(&machine->code));
}

/* Vector registers and others that no frame rests on are left out. */
static void set(struct machine *machine, uint64_t number, enum unwind_place place, int64_t value) {
  if (number >= UNWIND_REGISTERS) return;
  machine->row->place[number] = (uint8_t)place;
  machine->row->value[number] = narrow(machine, value);
}

static void restore(struct machine *machine, uint64_t number) {
  if (number >= UNWIND_REGISTERS) return;
  machine->row->place[number] = machine->initial.place[number];
  machine->row->value[number] = machine->initial.value[number];
}

/* Where an expression stands; the cursor goes on after it. */
static int64_t expression(struct machine *machine) {
  const uint8_t *frames = machine->tables->image + machine->tables->frames;
  int64_t at = machine->code.at - frames;
  byte_cursor_skip(&machine->code, byte_cursor_uleb(&machine->code));
  return at;
}

static void set_cfa_register(struct machine *machine, uint64_t number) {
  if (number >= UNWIND_RIP) machine->failed = true;
  machine->row->cfa_register = (uint8_t)number;
  machine->row->cfa_is_expression = false;
}
static void set_cfa_offset(struct machine *machine, int64_t offset) {
  machine->row->cfa_offset = narrow(machine, offset);
}

static void remember(struct machine *machine) {
  if (machine->remembered_count == REMEMBERED_MOST)
    machine->failed = true;
  else
    machine->remembered[machine->remembered_count++] = *machine->row;
}
static void recall(struct machine *machine) {
  if (machine->remembered_count == 0)
    machine->failed = true;
  else
    *machine->row = machine->remembered[--machine->remembered_count];
}

static uint64_t set_location(struct machine *machine) {
  uint64_t here =
      machine->tables->frames_base + (uint64_t)(machine->code.at - machine->tables->image);
  return pointer_address(&machine->code, machine->entry->pointer_encoding, here);
}
static uint64_t advanced(struct machine *machine, uint64_t units) {
  return machine->location + units * machine->entry->code_alignment;
}

/* The instructions that say where the row after them begins. */
static bool moves(struct machine *machine, uint8_t instruction, uint64_t *location) {
  if ((instruction & ~FRAME_OPERAND) == FRAME_ADVANCE) {
    *location = advanced(machine, instruction & FRAME_OPERAND);
    return true;
  }
  switch (instruction) {
  case FRAME_SET_LOCATION:
    *location = set_location(machine);
    return true;
  case FRAME_ADVANCE_1:
    *location = advanced(machine, byte_cursor_number(&machine->code, 1));
    return true;
  case FRAME_ADVANCE_2:
    *location = advanced(machine, byte_cursor_number(&machine->code, 2));
    return true;
  case FRAME_ADVANCE_4:
    *location = advanced(machine, byte_cursor_number(&machine->code, 4));
    return true;
  }
  return false;
}

static bool defines_cfa(struct machine *machine, uint8_t instruction) {
  struct byte_cursor *code = &machine->code;
  switch (instruction) {
  case FRAME_DEFINE_CFA:
    set_cfa_register(machine, byte_cursor_uleb(code));
    set_cfa_offset(machine, (int64_t)byte_cursor_uleb(code));
    return true;
  case FRAME_DEFINE_CFA_SIGNED:
    set_cfa_register(machine, byte_cursor_uleb(code));
    set_cfa_offset(machine, operand_signed_factored(machine));
    return true;
  case FRAME_DEFINE_CFA_REGISTER:
    set_cfa_register(machine, byte_cursor_uleb(code));
    return true;
  case FRAME_DEFINE_CFA_OFFSET:
    set_cfa_offset(machine, (int64_t)byte_cursor_uleb(code));
    return true;
  case FRAME_DEFINE_CFA_OFFSET_SIGNED:
    set_cfa_offset(machine, operand_signed_factored(machine));
    return true;
  case FRAME_DEFINE_CFA_EXPRESSION:
    machine->row->cfa_is_expression = true;
    machine->row->cfa_expression = narrow(machine, expression(machine));
    return true;
  }
  return false;
}

/* The instructions whose first operand is a register. */
static void set_register(struct machine *machine, uint8_t instruction) {
  uint64_t number = byte_cursor_uleb(&machine->code);
  switch (instruction) {
  case FRAME_OFFSET_EXTENDED:
    set(machine, number, UNWIND_AT_CFA, operand_factored(machine));
    return;
  case FRAME_OFFSET_EXTENDED_SIGNED:
    set(machine, number, UNWIND_AT_CFA, operand_signed_factored(machine));
    return;
  case FRAME_GNU_NEGATIVE_OFFSET:
    set(machine, number, UNWIND_AT_CFA, -operand_factored(machine));
    return;
  case FRAME_VALUE_OFFSET:
    set(machine, number, UNWIND_IS_CFA, operand_factored(machine));
    return;
  case FRAME_VALUE_OFFSET_SIGNED:
    set(machine, number, UNWIND_IS_CFA, operand_signed_factored(machine));
    return;
  case FRAME_RESTORE_EXTENDED:
    restore(machine, number);
    return;
  case FRAME_UNDEFINED:
    set(machine, number, UNWIND_UNKNOWN, 0);
    return;
  case FRAME_SAME_VALUE:
    set(machine, number, UNWIND_UNCHANGED, 0);
    return;
  case FRAME_REGISTER:
    set(machine, number, UNWIND_IN_REGISTER, (int64_t)byte_cursor_uleb(&machine->code));
    return;
  case FRAME_EXPRESSION:
    set(machine, number, UNWIND_AT_EXPRESSION, expression(machine));
    return;
  case FRAME_VALUE_EXPRESSION:
    set(machine, number, UNWIND_IS_EXPRESSION, expression(machine));
    return;
  }
  machine->failed = true;
}

static void execute(struct machine *machine, uint8_t instruction) {
  if (defines_cfa(machine, instruction)) return;
  switch (instruction & ~FRAME_OPERAND) {
  case FRAME_OFFSET:
    set(machine, instruction & FRAME_OPERAND, UNWIND_AT_CFA, operand_factored(machine));
    return;
  case FRAME_RESTORE:
    restore(machine, instruction & FRAME_OPERAND);
    return;
  }
  switch (instruction) {
  case FRAME_NOP:
    return;
  case FRAME_REMEMBER_STATE:
    remember(machine);
    return;
  case FRAME_RESTORE_STATE:
    recall(machine);
    return;
  case FRAME_GNU_ARGUMENTS_SIZE:
    byte_cursor_uleb(&machine->code);
    return;
  default:
    set_register(machine, instruction);
  }
}

/* Up to the end of `code`, or to the row that holds `address`. */
static bool run(struct machine *machine, struct byte_cursor code, uint64_t address) {
  machine->code = code;
  for (uint32_t steps = 0; machine->code.at < machine->code.end; steps++) {
    if (machine->failed || machine->code.failed || steps == STEPS_MOST) return false;
    uint8_t instruction = (uint8_t)byte_cursor_number(&machine->code, 1);
    uint64_t location;
    if (!moves(machine, instruction, &location)) {
      execute(machine, instruction);
      continue;
    }
    if (machine->code.failed) return false;
    if (location > address) return true;
    machine->location = location;
  }
  return !machine->failed && !machine->code.failed;
}

int unwind_frame_program(const struct unwind_tables *tables, const struct unwind_entry *entry,
                         uint64_t address, struct unwind_row *row) {
  struct machine machine; /* `remembered` needs no zeros */
  machine.tables = tables;
  machine.entry = entry;
  machine.location = entry->begin;
  machine.row = row;
  machine.remembered_count = 0;
  machine.failed = false;
  *row = (struct unwind_row){.signal_frame = entry->signal_frame};
  machine.initial = *row; /* what a "restore" restores that is initial itself, and means nothing */
  if (!run(&machine, entry->initial, UINT64_MAX)) return -1;
  machine.initial = *row;
  machine.location = entry->begin;
  return run(&machine, entry->program, address) ? 0 : -1;
}
