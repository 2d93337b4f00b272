#include "outside/kernel_record.h"

#include <asm/perf_regs.h>
#include <string.h>

/* What stands at the end of every record but samples: who ran, when, and whose event tells it. */
struct trailer {
  uint32_t pid, tid;
  uint64_t time, event;
};

/* The begin of a sample. */
struct sample_head {
  struct perf_event_header header;
  uint64_t ip;
  uint32_t pid, tid;
  uint64_t time, event;
  uint64_t abi; /* enum perf_sample_regs_abi; the registers follow, if it is not 0 */
};

static const void *at(const struct perf_event_header *record, size_t offset) {
  return (const char *)record + offset;
}

static const struct trailer *trailer_of(const struct perf_event_header *record) {
  if (record->size < sizeof *record + sizeof(struct trailer)) return NULL;
  return at(record, record->size - sizeof(struct trailer));
}

uint64_t kernel_record_time(const struct perf_event_header *record) {
  if (record->type == PERF_RECORD_SAMPLE)
    return record->size < sizeof(struct sample_head)
               ? 0
               : ((const struct sample_head *)(const void *)record)->time;
  const struct trailer *trailer = trailer_of(record);
  return trailer ? trailer->time : 0;
}

bool kernel_record_owner(const struct perf_event_header *record, uint32_t *pid, uint32_t *tid) {
  const struct trailer *trailer = trailer_of(record);
  if (!trailer) return false;
  *pid = trailer->pid;
  *tid = trailer->tid;
  return true;
}

/* In the order of the kernel's numbers, which is that of the bits. */
static const uint8_t order[] = {[PERF_REG_X86_AX] = UNWIND_RAX,  [PERF_REG_X86_BX] = UNWIND_RBX,
                                [PERF_REG_X86_CX] = UNWIND_RCX,  [PERF_REG_X86_DX] = UNWIND_RDX,
                                [PERF_REG_X86_SI] = UNWIND_RSI,  [PERF_REG_X86_DI] = UNWIND_RDI,
                                [PERF_REG_X86_BP] = UNWIND_RBP,  [PERF_REG_X86_SP] = UNWIND_RSP,
                                [PERF_REG_X86_IP] = UNWIND_RIP,  [PERF_REG_X86_R8] = UNWIND_R8,
                                [PERF_REG_X86_R9] = UNWIND_R9,   [PERF_REG_X86_R10] = UNWIND_R10,
                                [PERF_REG_X86_R11] = UNWIND_R11, [PERF_REG_X86_R12] = UNWIND_R12,
                                [PERF_REG_X86_R13] = UNWIND_R13, [PERF_REG_X86_R14] = UNWIND_R14,
                                [PERF_REG_X86_R15] = UNWIND_R15};

static void read_frame(struct unwind_frame *frame, const uint64_t *values) {
  for (unsigned i = 0; i < sizeof order; i++)
    if (KERNEL_RECORD_REGISTERS >> i & 1) frame->registers[order[i]] = *values++;
  frame->known = UNWIND_ALL_KNOWN;
  frame->exact = true;
}

/* "u64 size; char data[size]; u64 copied", the last two only with a size. */
static int read_stack(struct kernel_sample *sample, const uint64_t *words, size_t count) {
  if (count < 1) return -1;
  uint64_t room = words[0] / sizeof *words;
  if (words[0] == 0) return 0;
  if (count < 2 || room > count - 2 || words[1 + room] > words[0]) return -1;
  sample->stack = (const uint8_t *)(words + 1);
  sample->stack_bytes = words[1 + room];
  return 0;
}

int kernel_record_sample(const struct perf_event_header *record, struct kernel_sample *sample) {
  const struct sample_head *head = at(record, 0);
  if (record->size < sizeof *head) return -1;
  *sample = (struct kernel_sample){.pid = head->pid,
                                   .tid = head->tid,
                                   .time_ns = head->time,
                                   .ip = head->ip,
                                   .event = head->event,
                                   .in_kernel = (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
                                                PERF_RECORD_MISC_KERNEL,
                                   .has_frame = head->abi == PERF_SAMPLE_REGS_ABI_64};
  const uint64_t *words = at(record, sizeof *head);
  size_t count = (record->size - sizeof *head) / sizeof *words;
  if (head->abi != PERF_SAMPLE_REGS_ABI_NONE) {
    if (count < UNWIND_REGISTERS) return -1;
    read_frame(&sample->frame, words);
    words += UNWIND_REGISTERS;
    count -= UNWIND_REGISTERS;
  }
  return read_stack(sample, words, count);
}

/* The bytes from `offset` up to the trailer hold a text's end. */
static const char *text_at(const struct perf_event_header *record, size_t offset) {
  if (record->size < offset + sizeof(struct trailer)) return NULL;
  const char *text = at(record, offset);
  return memchr(text, '\0', record->size - sizeof(struct trailer) - offset) ? text : NULL;
}

int kernel_record_mapping(const struct perf_event_header *record, struct kernel_mapping *mapping) {
  const struct {
    struct perf_event_header header;
    uint32_t pid, tid;
    uint64_t start, bytes, offset;
    union {
      struct {
        uint32_t major, minor;
        uint64_t inode, generation;
      } file;
      struct {
        uint8_t bytes, unused[3], id[20];
      } build;
    };
    uint32_t protection, flags;
    char path[];
  } *mapped = at(record, 0);
  size_t fixed = sizeof *mapped;
  const char *path = text_at(record, fixed);
  if (!path || mapped->bytes > UINT64_MAX - mapped->start) return -1;
  *mapping = (struct kernel_mapping){.pid = mapped->pid,
                                     .tid = mapped->tid,
                                     .start = mapped->start,
                                     .end = mapped->start + mapped->bytes,
                                     .offset = mapped->offset,
                                     .path = path};
  if (!(record->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)) {
    mapping->device = (uint64_t)mapped->file.major << 32 | mapped->file.minor;
    mapping->inode = mapped->file.inode;
  } else if (mapped->build.bytes <= sizeof mapped->build.id) {
    mapping->build_id = mapped->build.id;
    mapping->build_id_bytes = mapped->build.bytes;
  }
  return 0;
}

int kernel_record_task(const struct perf_event_header *record, struct kernel_task *task) {
  const uint32_t *words = at(record, sizeof *record);
  if (record->size < sizeof *record + sizeof *task + sizeof(struct trailer)) return -1;
  *task = (struct kernel_task){words[0], words[1], words[2], words[3]};
  return 0;
}

int kernel_record_name(const struct perf_event_header *record, struct kernel_name *name) {
  const uint32_t *words = at(record, sizeof *record);
  const char *text = text_at(record, sizeof *record + 2 * sizeof *words);
  if (!text) return -1;
  *name = (struct kernel_name){words[0], words[1], record->misc & PERF_RECORD_MISC_COMM_EXEC, text};
  return 0;
}

int kernel_record_count(const struct perf_event_header *record, struct kernel_count *count) {
  const struct {
    struct perf_event_header header;
    uint32_t pid, tid;
    uint64_t value;
  } *read = at(record, 0);
  if (record->size < sizeof *read) return -1;
  *count = (struct kernel_count){read->pid, read->tid, read->value};
  return 0;
}

int kernel_record_lost(const struct perf_event_header *record, uint64_t *lost) {
  const struct {
    struct perf_event_header header;
    uint64_t id, lost;
  } *told = at(record, 0);
  if (record->size < sizeof *told) return -1;
  *lost = told->lost;
  return 0;
}

int kernel_record_throttled(const struct perf_event_header *record, uint64_t *event) {
  const struct {
    struct perf_event_header header;
    uint64_t time, id, stream;
  } *told = at(record, 0);
  if (record->size < sizeof *told) return -1;
  *event = told->stream;
  return 0;
}
