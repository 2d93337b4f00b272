/* Images: what is found in them, and what damage does. */
#include "unwind/entry.h"
#include "unwind/frame_row.h"
#include "unwind/rule.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

extern const char __executable_start[];
extern const char undescribed_restorer[], undescribed_stub[], undescribed_end[],
    undescribed_destructor[], undescribed_begin[];
int main(void);

/* This program's file. */
static uint8_t *image;
static uint64_t bytes;

static void read_self(void) {
  int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  struct stat status;
  CHECK(file >= 0 && fstat(file, &status) == 0);
  bytes = (uint64_t)status.st_size;
  image = malloc(bytes);
  CHECK_EQUAL(read(file, image, bytes), bytes);
  close(file);
}

static uint8_t *copy_of_image(void) {
  uint8_t *copy = malloc(bytes);
  memcpy(copy, image, bytes);
  return copy;
}

static Elf64_Phdr *segment_of(uint8_t *copy, uint32_t type, uint32_t flags) {
  Elf64_Ehdr *header = (Elf64_Ehdr *)copy;
  Elf64_Phdr *segments = (Elf64_Phdr *)(copy + header->e_phoff);
  for (int i = 0; i < header->e_phnum; i++)
    if (segments[i].p_type == type && (segments[i].p_flags & flags) == flags) return &segments[i];
  CHECK(!"the segment");
  return segments;
}

static uint64_t link_address(const void *function) {
  /* 0 where this program is position-independent. */
  uint64_t start = (uint64_t)__executable_start, first = segment_of(image, PT_LOAD, 0)->p_vaddr;
  return (uint64_t)function - start + first;
}

static void found(void) {
  struct unwind_tables tables;
  CHECK_EQUAL(unwind_tables_open(&tables, image, bytes), 0);
  CHECK(tables.entry_count > 5);
  struct unwind_rule rule = unwind_find_rule(&tables, link_address(main));
  CHECK_EQUAL(rule.kind, UNWIND_RULE_REGISTER);
  CHECK_EQUAL(rule.base, UNWIND_RSP);
  CHECK_EQUAL(rule.offset, 8);
  CHECK_EQUAL(rule.frame_pointer, UNWIND_RBP_UNCHANGED);
  CHECK_EQUAL(unwind_find_rule(&tables, 0).kind, UNWIND_RULE_NONE);
  CHECK_EQUAL(unwind_find_rule(&tables, UINT64_MAX).kind, UNWIND_RULE_NONE);
}

/* Rules do not depend on how an entry is found. */
static void same_rules(const struct unwind_tables *a, const struct unwind_tables *b) {
  const Elf64_Phdr *code = segment_of(image, PT_LOAD, PF_X);
  uint32_t rules = 0, differ = 0;
  uint64_t every = code->p_memsz / 3000 + 1;
  for (uint64_t at = code->p_vaddr; at < code->p_vaddr + code->p_memsz; at += every) {
    struct unwind_rule one = unwind_find_rule(a, at), other = unwind_find_rule(b, at);
    rules += one.kind != UNWIND_RULE_NONE;
    differ += memcmp(&one, &other, sizeof one) != 0;
  }
  CHECK(rules > 100);
  CHECK_EQUAL(differ, 0);
}

static void without_header(void) {
  struct unwind_tables whole, scanned;
  uint8_t *copy = copy_of_image();
  CHECK_EQUAL(unwind_tables_open(&whole, image, bytes), 0);
  segment_of(copy, PT_GNU_EH_FRAME, 0)->p_type = PT_NULL;
  CHECK_EQUAL(unwind_tables_open(&scanned, copy, bytes), 0);
  CHECK_EQUAL(scanned.entry_count, 0);
  same_rules(&whole, &scanned);
  /* Nor section headers: nothing is known. */
  ((Elf64_Ehdr *)copy)->e_shoff = 0;
  ((Elf64_Ehdr *)copy)->e_shnum = 0;
  struct unwind_tables before = scanned;
  CHECK_EQUAL(unwind_tables_open(&scanned, copy, bytes), -1);
  CHECK(memcmp(&before, &scanned, sizeof before) == 0);
  free(copy);
}

/* A header whose table is of another kind, or has another version. */
static void other_headers(void) {
  struct unwind_tables whole, scanned;
  CHECK_EQUAL(unwind_tables_open(&whole, image, bytes), 0);
  for (int place = 0; place < 4; place++) {
    if (place == 1) continue; /* how .eh_frame is pointed at */
    uint8_t *copy = copy_of_image();
    copy[segment_of(copy, PT_GNU_EH_FRAME, 0)->p_offset + (uint64_t)place] = 0xff;
    CHECK_EQUAL(unwind_tables_open(&scanned, copy, bytes), 0);
    CHECK_EQUAL(scanned.entry_count, 0);
    same_rules(&whole, &scanned);
    free(copy);
  }
}

static void no_files_of_ours(void) {
  struct unwind_tables tables;
  static const struct {
    uint64_t place;
    uint8_t value;
  } damages[] = {{0, 0}, {1, 0}, {EI_CLASS, ELFCLASS32}, {EI_DATA, ELFDATA2MSB}, {18, EM_386}};
  for (uint32_t i = 0; i < sizeof damages / sizeof *damages; i++) {
    uint8_t *copy = copy_of_image();
    copy[damages[i].place] = damages[i].value;
    CHECK_EQUAL(unwind_tables_open(&tables, copy, bytes), -1);
    free(copy);
  }
  CHECK_EQUAL(unwind_tables_open(&tables, image, 0), -1);
  CHECK_EQUAL(unwind_tables_open(&tables, image, 63), -1);
}

/* Memory checkers see what is read behind the end. */
static void truncated(void) {
  uint64_t frames = segment_of(image, PT_GNU_EH_FRAME, 0)->p_offset;
  for (uint64_t i = 0; i < 300; i++) {
    /* Byte by byte in .eh_frame_hdr, then further on. */
    uint64_t size = i < 100 ? frames + i : frames + (bytes - frames) * i / 300;
    struct unwind_tables tables;
    uint8_t *copy = malloc(size);
    memcpy(copy, image, size);
    if (unwind_tables_open(&tables, copy, size) == 0)
      for (uint64_t at = 0; at < 64; at++)
        unwind_find_rule(&tables, link_address(main) + at);
    free(copy);
  }
}

/* In large code models the loader fills the entries' addresses in; the table has them. */
static void without_addresses(void) {
  struct unwind_tables whole, tables;
  struct unwind_entry entry;
  uint8_t *copy = copy_of_image();
  CHECK_EQUAL(unwind_tables_open(&whole, image, bytes), 0);
  CHECK_EQUAL(unwind_tables_open(&tables, copy, bytes), 0);
  bool is_code;
  for (uint64_t at = tables.frames, next; at; at = next) {
    next = unwind_entry_read(&tables, at, &entry, &is_code);
    if (is_code) memset(copy + at + 8, 0, 4);
  }
  same_rules(&whole, &tables);
  free(copy);
}

static void told_by_code(void) {
  struct unwind_tables tables;
  struct unwind_row row;
  CHECK_EQUAL(unwind_tables_open(&tables, image, bytes), 0);
  uint64_t restorer = link_address(undescribed_restorer), stub = link_address(undescribed_stub);
  /* As a return address is looked for, and at its two instructions. */
  CHECK_EQUAL(unwind_find_rule(&tables, restorer - 1).kind, UNWIND_RULE_SIGNAL);
  CHECK_EQUAL(unwind_find_rule(&tables, restorer).kind, UNWIND_RULE_SIGNAL);
  CHECK_EQUAL(unwind_find_rule(&tables, restorer + 7).kind, UNWIND_RULE_SIGNAL);
  CHECK_EQUAL(unwind_find_rule(&tables, restorer + 9).kind, UNWIND_RULE_NONE);
  for (uint64_t at = 0; at <= 17; at++) {
    struct unwind_rule rule = unwind_find_rule(&tables, stub + at);
    bool tells = at == 0 || at == 4 || at == 10 || at == 11;
    CHECK_EQUAL(rule.kind, tells ? UNWIND_RULE_REGISTER : UNWIND_RULE_NONE);
    if (tells) CHECK(rule.base == UNWIND_RSP && rule.offset == 8 && rule.frame_pointer == 0);
  }
  uint64_t destructor = link_address(undescribed_destructor);
  for (uint64_t at = 0; at <= 18; at++) {
    struct unwind_rule rule = unwind_find_rule(&tables, destructor + at);
    bool called = at == 4 || at == 9;
    CHECK_EQUAL(rule.kind, called ? UNWIND_RULE_REGISTER : UNWIND_RULE_NONE);
    if (called) CHECK(rule.base == UNWIND_RBP && rule.offset == 16 && rule.frame_pointer == -2);
  }
  uint64_t end = link_address(undescribed_end);
  CHECK_EQUAL(unwind_find_rule(&tables, end - 1).kind, UNWIND_RULE_OUTERMOST);
  CHECK_EQUAL(unwind_find_rule(&tables, end).kind, UNWIND_RULE_REGISTER);
  CHECK_EQUAL(unwind_find_rule(&tables, end - 2).kind, UNWIND_RULE_NONE);
  CHECK_EQUAL(unwind_find_row(&tables, end - 1, &row), 0);
}

/* The dynamic linker's, but not what the header of a library points at. */
static void entry_points(void) {
  struct unwind_tables tables;
  uint8_t *copy = copy_of_image();
  uint64_t begin = link_address(undescribed_begin), stub = link_address(undescribed_stub);
  ((Elf64_Ehdr *)copy)->e_entry = begin;
  CHECK_EQUAL(unwind_tables_open(&tables, copy, bytes), 0);
  CHECK_EQUAL(unwind_find_rule(&tables, begin - 1).kind, UNWIND_RULE_NONE);
  CHECK_EQUAL(unwind_find_rule(&tables, begin).kind, UNWIND_RULE_OUTERMOST);
  CHECK_EQUAL(unwind_find_rule(&tables, begin + 7).kind, UNWIND_RULE_OUTERMOST);
  CHECK_EQUAL(unwind_find_rule(&tables, begin + 64).kind, UNWIND_RULE_NONE);
  ((Elf64_Ehdr *)copy)->e_entry = stub;
  CHECK_EQUAL(unwind_tables_open(&tables, copy, bytes), 0);
  CHECK_EQUAL(unwind_find_rule(&tables, stub + 1).kind, UNWIND_RULE_NONE);
  CHECK_EQUAL(unwind_find_rule(&tables, begin).kind, UNWIND_RULE_NONE);
  free(copy);
}

/* Tables of nothing at all are tables too. */
static void no_image(void) {
  static const struct unwind_tables none;
  CHECK_EQUAL(unwind_find_rule(&none, 0).kind, UNWIND_RULE_NONE);
  CHECK_EQUAL(unwind_find_rule(&none, 0x1000).kind, UNWIND_RULE_NONE);
}

/* Mappings begin at page borders, segments anywhere; a mapping may be a piece of a segment. */
static void biases(void) {
  struct unwind_tables tables;
  uint8_t *copy = copy_of_image();
  CHECK_EQUAL(unwind_tables_open(&tables, copy, bytes), 0);
  Elf64_Phdr *code = segment_of(copy, PT_LOAD, PF_X);
  code->p_offset = 0x2340;
  code->p_vaddr = 0x5340;
  code->p_filesz = code->p_memsz = 0x3000;
  uint64_t bias = 0;
  CHECK_EQUAL(unwind_tables_bias(&tables, 0x700000, 0x4000, 0x2000, &bias), 0);
  CHECK_EQUAL(0x700340 - bias, 0x5340);
  CHECK_EQUAL(unwind_tables_bias(&tables, 0x700000, 0x1000, 0x4000, &bias), 0);
  CHECK_EQUAL(0x700000 - bias, 0x7000);
  bias = 1;
  CHECK_EQUAL(unwind_tables_bias(&tables, 0x700000, 0x1000, 0x6000, &bias), -1);
  CHECK_EQUAL(unwind_tables_bias(&tables, 0x700000, 0x1000, 0x1000, &bias), -1);
  CHECK_EQUAL(bias, 1);
  free(copy);
}

int main(void) {
  read_self();
  found();
  without_header();
  other_headers();
  no_files_of_ours();
  truncated();
  without_addresses();
  told_by_code();
  entry_points();
  no_image();
  biases();
  free(image);
  return check_result();
}
