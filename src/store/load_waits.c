/* Waiting: see attribution/waits.h. */
#include "store/loader.h"

static void take_tick(struct loader *loader, struct row_in *row) {
  struct profile_waits *waits = &loader->profile->waits;
  MEMORY_GROW(waits->ticks, waits->tick_count, loader->wait_room);
  loader_tick(loader, row, &waits->ticks[waits->tick_count++]);
}

static void take_instruction(struct loader *loader, struct row_in *row) {
  const struct profile *profile = loader->profile;
  struct profile_waits *waits = &loader->profile->waits;
  MEMORY_GROW(waits->instructions, waits->instruction_count, loader->wait_instruction_room);
  struct profile_instruction *instruction = &waits->instructions[waits->instruction_count++];
  instruction->line = get_id(row, profile->line_count);
  instruction->column = get_number(row, UINT32_MAX);
  instruction->object = get_optional_id(row, profile->object_count);
  instruction->offset = get_number(row, INT64_MAX);
  instruction->self = get_amount(row);
  instruction->within = instruction->expansion = NOTHING;
  instruction->clone = NULL;
  instruction->discriminator = 0;
}

static void take_process(struct loader *loader, struct row_in *row) {
  uint32_t id = get_id(row, loader->profile->process_count);
  if (row->damaged) return;
  struct profile_process *process = &loader->profile->processes[id];
  process->lived_ns = get_number(row, INT64_MAX);
  process->looked_ns = get_number(row, INT64_MAX);
  process->ready_ns = get_number(row, INT64_MAX);
  process->waited_ns = get_number(row, INT64_MAX);
  process->unseen_errno = get_number(row, INT32_MAX);
}

int loader_waits(struct loader *loader) {
  if (loader_rows(loader, "SELECT context, line, stack, ticks, raw_ns FROM raw_waits", take_tick) !=
      0)
    return -1;
  if (loader_rows(loader,
                  "SELECT line, source_column, object, offset, self_ticks, self_raw_ns"
                  " FROM raw_wait_instructions",
                  take_instruction) != 0)
    return -1;
  return loader_rows(loader,
                     "SELECT process, lived_ns, looked_ns, ready_ns, waited_ns, unseen_errno"
                     " FROM raw_wait_processes",
                     take_process);
}
