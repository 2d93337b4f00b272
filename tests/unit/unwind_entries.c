/* Entries of .eh_frame made by hand: what no compiler of this machine writes. */
#include "unwind/frame_row.h"
#include "unwind/rule.h"

#include "check.h"

#define CODE 0x5000u /* link-time address of the code */

static struct {
  uint8_t bytes[512];
  uint32_t used;
} frames;

static void put(uint64_t value, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    frames.bytes[frames.used++] = (uint8_t)(value >> 8 * i);
}
static void put_all(const char *bytes, uint32_t count) {
  memcpy(frames.bytes + frames.used, bytes, count);
  frames.used += count;
}
#define PUT(text) put_all(text, sizeof(text) - 1)

static uint32_t record_begin(bool is_long) {
  if (is_long) put(0xffffffff, 4);
  put(0, is_long ? 8 : 4);
  return frames.used;
}
static void record_end(uint32_t begin, bool is_long) {
  uint64_t length = frames.used - begin;
  memcpy(frames.bytes + begin - (is_long ? 8 : 4), &length, is_long ? 8 : 4);
}

struct cie {
  uint8_t version;
  const char *augmentation;
  uint8_t code_alignment, data_alignment, return_register;
  const char *data; /* with its length before it */
  uint32_t data_bytes;
  bool is_long;
  uint8_t more; /* one more instruction; 0: none, as it means nothing */
};
static const struct cie plain = {1, "zR", 1, 0x78, 16, "\1\0", 2, false};

/* The CIE says CFA = rsp + 8 and where the return address is. Returns where it stands. */
static uint32_t put_cie(const struct cie *cie) {
  uint32_t at = frames.used, begin = record_begin(cie->is_long);
  put(0, cie->is_long ? 8 : 4);
  put(cie->version, 1);
  put_all(cie->augmentation, (uint32_t)strlen(cie->augmentation) + 1);
  put(cie->code_alignment, 1);
  put(cie->data_alignment, 1);
  put(cie->return_register, 1);
  put_all(cie->data, cie->data_bytes);
  PUT("\x0c\x07\x08\x90"); /* def_cfa rsp 8, offset rip */
  put(cie->data_alignment == 0x78 ? 1 : 2, 1);
  put(cie->more, 1);
  record_end(begin, cie->is_long);
  return at;
}

/* Pointers are absolute, 8 bytes each. */
static void put_fde(const struct cie *cie, uint32_t cie_at, const char *program, uint32_t bytes) {
  uint32_t begin = record_begin(cie->is_long);
  put(begin - cie_at, cie->is_long ? 8 : 4);
  put(CODE, 8);
  put(0x100, 8);
  if (cie->augmentation[0] == 'z') put(0, 1);
  put_all(program, bytes);
  record_end(begin, cie->is_long);
}

static struct unwind_tables make(const struct cie *cie, const char *program, uint32_t bytes) {
  frames.used = 0;
  put_fde(cie, put_cie(cie), program, bytes);
  return (struct unwind_tables){.image = frames.bytes,
                                .bytes = frames.used,
                                .frames_end = frames.used,
                                .frames_base = 0x1000};
}
#define MAKE(cie, program) make(cie, program, sizeof(program) - 1)

static void kind_is(const struct cie *cie, uint8_t kind, int32_t offset) {
  struct unwind_tables tables = MAKE(cie, "\x0e\x20"); /* def_cfa_offset 32 */
  struct unwind_rule rule = unwind_find_rule(&tables, CODE + 0xff);
  CHECK_EQUAL(rule.kind, kind);
  CHECK_EQUAL(rule.offset, offset);
  CHECK_EQUAL(unwind_find_rule(&tables, CODE - 1).kind, UNWIND_RULE_NONE);
  CHECK_EQUAL(unwind_find_rule(&tables, CODE + 0x100).kind, UNWIND_RULE_NONE);
}

static void common_entries(void) {
  struct cie cie = plain;
  kind_is(&cie, UNWIND_RULE_REGISTER, 32);
  cie.version = 3;
  kind_is(&cie, UNWIND_RULE_REGISTER, 32);
  cie.is_long = true;
  kind_is(&cie, UNWIND_RULE_REGISTER, 32);
  cie = plain;
  cie.version = 4;
  kind_is(&cie, UNWIND_RULE_NONE, 0);
  cie = plain;
  cie.return_register = 15;
  kind_is(&cie, UNWIND_RULE_NONE, 0);
  /* No augmentation: absolute pointers. Then letters of all kinds, and ones that nobody knows. */
  kind_is(&(struct cie){1, "", 1, 0x78, 16, "", 0, false}, UNWIND_RULE_REGISTER, 32);
  kind_is(&(struct cie){1, "zPLRB", 1, 0x78, 16, "\7\x03pppp\0\0", 8, false}, UNWIND_RULE_REGISTER,
          32);
  kind_is(&(struct cie){1, "zRS", 1, 0x78, 16, "\1\0", 2, false}, UNWIND_RULE_ROW, 0);
  kind_is(&(struct cie){1, "zRX", 1, 0x78, 16, "\1\0", 2, false}, UNWIND_RULE_NONE, 0);
  kind_is(&(struct cie){1, "eh", 1, 0x78, 16, "\1\0", 2, false}, UNWIND_RULE_NONE, 0);
  kind_is(&(struct cie){1, "zRBBBBBBBBBB", 1, 0x78, 16, "\1\0", 2, false}, UNWIND_RULE_NONE, 0);
  /* Pointers to pointers, and a format that does not exist. */
  kind_is(&(struct cie){1, "zR", 1, 0x78, 16, "\1\x80", 2, false}, UNWIND_RULE_NONE, 0);
  kind_is(&(struct cie){1, "zR", 1, 0x78, 16, "\1\x07", 2, false}, UNWIND_RULE_NONE, 0);
}

static void alignments(void) {
  struct cie cie = plain;
  cie.code_alignment = 4;
  cie.data_alignment = 0x7c; /* -4 */
  /* advance 2, offset rbp 3, advance 1, offset rbp 4 */
  struct unwind_tables tables = MAKE(&cie, "\x42\x86\x03\x41\x86\x04");
  CHECK_EQUAL(unwind_find_rule(&tables, CODE + 7).frame_pointer, UNWIND_RBP_UNCHANGED);
  CHECK_EQUAL(unwind_find_rule(&tables, CODE + 8).kind, UNWIND_RULE_ROW); /* at CFA - 12 */
  CHECK_EQUAL(unwind_find_rule(&tables, CODE + 11).kind, UNWIND_RULE_ROW);
  CHECK_EQUAL(unwind_find_rule(&tables, CODE + 12).frame_pointer, -2);
}

static void programs(void) {
  struct unwind_row row;
  /* undefined rip; advance 1; restore it to what the CIE says */
  struct unwind_tables tables = MAKE(&plain, "\x07\x10\x41\xd0");
  CHECK_EQUAL(unwind_find_rule(&tables, CODE).kind, UNWIND_RULE_OUTERMOST);
  CHECK_EQUAL(unwind_find_rule(&tables, CODE + 1).kind, UNWIND_RULE_REGISTER);
  CHECK_EQUAL(unwind_find_row(&tables, CODE + 1, &row), 0);
  CHECK_EQUAL(row.place[UNWIND_RIP], UNWIND_AT_CFA);
  CHECK_EQUAL(row.value[UNWIND_RIP], -8);
  /* set_loc, then def_cfa_offset 48 */
  tables = MAKE(&plain, "\x01\x10\x50\0\0\0\0\0\0\x0e\x30");
  CHECK_EQUAL(unwind_find_rule(&tables, CODE + 0xf).offset, 8);
  CHECK_EQUAL(unwind_find_rule(&tables, CODE + 0x10).offset, 48);
  /* After an expression the offset is what it was before: def_cfa_offset 56, an expression, advance
   * 1, def_cfa_register rbp. */
  tables = MAKE(&plain, "\x0e\x38\x0f\x03\x77\x10\x06\x41\x0d\x06");
  CHECK_EQUAL(unwind_find_rule(&tables, CODE).kind, UNWIND_RULE_LOAD);
  struct unwind_rule rule = unwind_find_rule(&tables, CODE + 1);
  CHECK_EQUAL(rule.kind, UNWIND_RULE_REGISTER);
  CHECK_EQUAL(rule.base, UNWIND_RBP);
  CHECK_EQUAL(rule.offset, 56);
}

/* Each is used from CODE on only; CODE + 1 stands after what is wrong. */
static void wrong_programs(void) {
  static const struct {
    const char *bytes;
    uint32_t count;
  } wrong[] = {
      {"\x41\x0b", 2},                     /* restore_state without remember_state */
      {"\x41\x0a\x0a\x0a\x0a\x0a", 6},     /* too many of them */
      {"\x41\x17", 2},                     /* no such instruction */
      {"\x41\x0e", 2},                     /* an operand is missing */
      {"\x41\x0f\x7f", 3},                 /* so is an expression */
      {"\x41\x0d\x11", 3},                 /* a CFA on rip's successor */
      {"\x41\x0e\xff\xff\xff\xff\x7f", 7}, /* an offset of 35 bits */
      {"\x41\x0e\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 14},
  };
  for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct unwind_tables tables = make(&plain, wrong[i].bytes, wrong[i].count);
    CHECK_EQUAL(unwind_find_rule(&tables, CODE).kind, UNWIND_RULE_REGISTER);
    CHECK_EQUAL(unwind_find_rule(&tables, CODE + 1).kind, UNWIND_RULE_NONE);
  }
}

/* An FDE whose CIE is none, or lies elsewhere. */
static void wrong_links(void) {
  struct unwind_tables tables = MAKE(&plain, "\x0e\x20");
  uint32_t fde = 4 + frames.bytes[0];
  static const uint32_t links[] = {1, 4, 100, 0x7fffffff, 0xffffffff};
  for (uint32_t i = 0; i < sizeof links / sizeof *links; i++) {
    memcpy(frames.bytes + fde + 4, &links[i], 4);
    CHECK_EQUAL(unwind_find_rule(&tables, CODE).kind, UNWIND_RULE_NONE);
  }
}

/* What was on the stack where the next calls have theirs. */
KEEP static void leave_behind(int byte) {
  volatile uint8_t room[16384];
  for (size_t i = 0; i < sizeof room; i++)
    room[i] = (uint8_t)byte;
}

/* There is nothing yet that a CIE's own instructions may restore. */
static void restored_by_the_cie(void) {
  struct cie cie = plain;
  struct unwind_row row;
  cie.more = 0xc6; /* restore rbp */
  struct unwind_tables tables = MAKE(&cie, "");
  leave_behind(UNWIND_AT_EXPRESSION);
  CHECK_EQUAL(unwind_find_row(&tables, CODE, &row), 0);
  CHECK_EQUAL(row.place[UNWIND_RBP], UNWIND_UNSAID);
  CHECK_EQUAL(row.value[UNWIND_RBP], 0);
}

int main(void) {
  restored_by_the_cie();
  common_entries();
  alignments();
  programs();
  wrong_programs();
  wrong_links();
  return check_result();
}
