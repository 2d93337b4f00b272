/* The kernel's records, as perf_event_open(2) describes them; and shorter ones than there can be.
 */
#include "outside/kernel_record.h"

#include <stdlib.h>

#include "check.h"

/* A record that is being put together. */
struct building {
  union {
    struct perf_event_header header;
    uint64_t words[64];
  };
};

static void begin(struct building *record, uint32_t type, uint16_t misc) {
  memset(record, 0, sizeof *record);
  record->header = (struct perf_event_header){.type = type, .misc = misc, .size = 8};
}

static void add(struct building *record, const void *data, size_t bytes) {
  memcpy((char *)record + record->header.size, data, bytes);
  record->header.size += (uint16_t)bytes;
}

static void add_word(struct building *record, uint64_t word) {
  add(record, &word, sizeof word);
}

static void add_pair(struct building *record, uint32_t a, uint32_t b) {
  add_word(record, (uint64_t)b << 32 | a);
}

/* Who, when, and by which event. */
static void end(struct building *record) {
  add_pair(record, 11, 12);
  add_word(record, 1000);
  add_word(record, 55);
}

/* A copy that ends just where the record says: reading on is an error that the sanitizer sees. */
static struct perf_event_header *cut(const struct building *record, uint16_t size) {
  struct perf_event_header *copy = malloc(size);
  memcpy(copy, record, size);
  copy->size = size;
  return copy;
}

static struct building a_sample(void) {
  struct building record;
  begin(&record, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
  add_word(&record, 0x1234);
  add_pair(&record, 11, 12);
  add_word(&record, 1000);
  add_word(&record, 55);
  add_word(&record, 2 /* PERF_SAMPLE_REGS_ABI_64 */);
  for (uint64_t i = 0; i < 17; i++)
    add_word(&record, 100 + i);
  add_word(&record, 16);
  add_word(&record, 1);
  add_word(&record, 2);
  add_word(&record, 8); /* of the 16, so much was there */
  return record;
}

static void samples(void) {
  struct building record = a_sample();
  struct kernel_sample sample;
  CHECK_EQUAL(kernel_record_sample(&record.header, &sample), 0);
  CHECK_EQUAL(kernel_record_time(&record.header), 1000);
  CHECK_EQUAL(sample.pid, 11);
  CHECK_EQUAL(sample.tid, 12);
  CHECK_EQUAL(sample.ip, 0x1234);
  CHECK_EQUAL(sample.event, 55);
  CHECK(!sample.in_kernel);
  CHECK(sample.has_frame);
  CHECK_EQUAL(sample.stack_bytes, 8);
  CHECK_EQUAL(sample.stack[0], 1);
  /* ax, bx, cx, dx, si, di, bp, sp, ip, then r8 to r15. */
  CHECK_EQUAL(sample.frame.registers[UNWIND_RBX], 101);
  CHECK_EQUAL(sample.frame.registers[UNWIND_RDX], 103);
  CHECK_EQUAL(sample.frame.registers[UNWIND_RSP], 107);
  CHECK_EQUAL(sample.frame.registers[UNWIND_RIP], 108);
  CHECK_EQUAL(sample.frame.registers[UNWIND_R8], 109);
  CHECK_EQUAL(sample.frame.registers[UNWIND_R15], 116);
  record.header.misc = PERF_RECORD_MISC_KERNEL;
  CHECK_EQUAL(kernel_record_sample(&record.header, &sample), 0);
  CHECK(sample.in_kernel);
}

/* Of a kernel thread, or of one that has no memory any more. */
static void sample_without_registers(void) {
  struct building record;
  struct kernel_sample sample;
  begin(&record, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
  add_word(&record, 0x1234);
  add_pair(&record, 11, 12);
  add_word(&record, 1000);
  add_word(&record, 55);
  add_word(&record, 0);
  add_word(&record, 0);
  CHECK_EQUAL(kernel_record_sample(&record.header, &sample), 0);
  CHECK(!sample.has_frame);
  CHECK_EQUAL(sample.stack_bytes, 0);
}

static void stack_that_is_longer_than_its_record(void) {
  struct building record = a_sample();
  struct kernel_sample sample;
  uint64_t *size = &record.words[6 + 17];
  CHECK_EQUAL(*size, 16);
  *size = 24;
  CHECK_EQUAL(kernel_record_sample(&record.header, &sample), -1);
  *size = UINT64_MAX;
  CHECK_EQUAL(kernel_record_sample(&record.header, &sample), -1);
  *size = 16;
  size[3] = 17; /* more was copied than there is */
  CHECK_EQUAL(kernel_record_sample(&record.header, &sample), -1);
}

static struct building a_mapping(const char *path) {
  struct building record;
  static const uint8_t build_id[24] = {20, 0, 0, 0, 0xab, 0xcd};
  begin(&record, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID);
  add_pair(&record, 11, 12);
  add_word(&record, 0x400000);
  add_word(&record, 0x1000);
  add_word(&record, 0x2000);
  add(&record, build_id, sizeof build_id);
  add_pair(&record, 5, 2);
  add(&record, path, (strlen(path) + 8) / 8 * 8);
  end(&record);
  return record;
}

static void mappings(void) {
  struct building record = a_mapping("/usr/lib/x.so\0\0\0\0\0\0");
  struct kernel_mapping mapping;
  CHECK_EQUAL(kernel_record_mapping(&record.header, &mapping), 0);
  CHECK_EQUAL(mapping.start, 0x400000);
  CHECK_EQUAL(mapping.end, 0x401000);
  CHECK_EQUAL(mapping.offset, 0x2000);
  CHECK_EQUAL(mapping.build_id_bytes, 20);
  CHECK_EQUAL(mapping.build_id[1], 0xcd);
  CHECK_EQUAL(mapping.inode, 0);
  CHECK_TEXT(mapping.path, "/usr/lib/x.so");
  CHECK_EQUAL(kernel_record_time(&record.header), 1000);
  record.header.misc = PERF_RECORD_MISC_USER;
  CHECK_EQUAL(kernel_record_mapping(&record.header, &mapping), 0);
  CHECK_EQUAL(mapping.build_id_bytes, 0);
  CHECK_EQUAL(mapping.device, 20ull << 32 | 0xcdab);
  record.words[3] = UINT64_MAX; /* its length */
  CHECK_EQUAL(kernel_record_mapping(&record.header, &mapping), -1);
}

static void others(void) {
  struct building record;
  struct kernel_task task;
  struct kernel_name name;
  struct kernel_count count;
  uint64_t number;
  begin(&record, PERF_RECORD_FORK, 0);
  add_pair(&record, 21, 11);
  add_pair(&record, 22, 12);
  add_word(&record, 999);
  end(&record);
  CHECK_EQUAL(kernel_record_task(&record.header, &task), 0);
  CHECK(task.pid == 21 && task.parent_pid == 11 && task.tid == 22 && task.parent_tid == 12);
  begin(&record, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
  add_pair(&record, 21, 22);
  add(&record, "worker\0", 8);
  end(&record);
  CHECK_EQUAL(kernel_record_name(&record.header, &name), 0);
  CHECK(name.exec && name.pid == 21 && name.tid == 22);
  CHECK_TEXT(name.name, "worker");
  begin(&record, PERF_RECORD_READ, 0);
  add_pair(&record, 21, 22);
  add_word(&record, 77);
  end(&record);
  CHECK_EQUAL(kernel_record_count(&record.header, &count), 0);
  CHECK(count.pid == 21 && count.tid == 22 && count.value == 77);
  begin(&record, PERF_RECORD_LOST, 0);
  add_word(&record, 1);
  add_word(&record, 5);
  end(&record);
  CHECK_EQUAL(kernel_record_lost(&record.header, &number), 0);
  CHECK_EQUAL(number, 5);
  uint32_t pid, tid;
  CHECK(kernel_record_owner(&record.header, &pid, &tid));
  CHECK(pid == 11 && tid == 12);
  begin(&record, PERF_RECORD_THROTTLE, 0);
  add_word(&record, 1);
  add_word(&record, 2);
  add_word(&record, 3);
  end(&record);
  CHECK_EQUAL(kernel_record_throttled(&record.header, &number), 0);
  CHECK_EQUAL(number, 3);
}

/* Every beginning of a record is refused, or read within its bounds. */
static void short_records(void) {
  const struct building records[] = {a_sample(), a_mapping("/usr/lib/x.so\0\0\0\0\0\0")};
  for (size_t i = 0; i < 2; i++)
    for (uint16_t size = 8; size < records[i].header.size; size = (uint16_t)(size + 8)) {
      struct perf_event_header *record = cut(&records[i], size);
      struct kernel_sample sample;
      struct kernel_mapping mapping;
      struct kernel_task task;
      struct kernel_name name;
      struct kernel_count count;
      uint64_t number;
      kernel_record_time(record);
      if (i == 0) CHECK_EQUAL(kernel_record_sample(record, &sample), -1);
      kernel_record_mapping(record, &mapping);
      kernel_record_task(record, &task);
      kernel_record_name(record, &name);
      kernel_record_count(record, &count);
      kernel_record_lost(record, &number);
      kernel_record_throttled(record, &number);
      free(record);
    }
}

int main(void) {
  samples();
  sample_without_registers();
  stack_that_is_longer_than_its_record();
  mappings();
  others();
  short_records();
  return check_result();
}
