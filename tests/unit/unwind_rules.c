/* Rules and rows against elfutils' reading of the same tables: for the objects of this machine, row
 * by row. Registers and memory hold random numbers, so that what differs comes out differently. */
#include "unwind/entry.h"
#include "unwind/step_row.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

#define ENTRIES_MOST 1500 /* of one object */
#define ROWS_MOST 100     /* of one entry */

static const char *const objects[] = {
    "/proc/self/exe",
    "/usr/lib/x86_64-linux-gnu/libc.so.6",
    "/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2",
    "/usr/lib/x86_64-linux-gnu/libm.so.6",
    "/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
    "/usr/lib/x86_64-linux-gnu/libgcc_s.so.1",
    "/usr/lib/x86_64-linux-gnu/libcrypto.so.*",
    "/usr/lib/x86_64-linux-gnu/libpython3.*.so.1.0",
    "/usr/lib/x86_64-linux-gnu/libLLVM*.so.*",
    "/usr/lib/x86_64-linux-gnu/libasan.so.*",
    "/usr/lib/gcc/x86_64-linux-gnu/*/cc1",
    "/usr/bin/python3",
    "/usr/bin/git",
    "/usr/bin/perl",
};

/* Counts of places. */
static struct { uint64_t places, packed, rows, cannot, nowhere; } sums;

static uint64_t mix(uint64_t x) {
  x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
  return x ^ x >> 32;
}

static bool random_memory(void *context, uint64_t address, uint64_t *value) {
  *value = mix(address);
  return true;
}
static const struct unwind_memory memory = {.load_elsewhere = random_memory};

/* rbp points into the frame, whatever register the CFA rests on. */
static struct unwind_frame random_frame(uint64_t place) {
  struct unwind_frame frame = {.known = UNWIND_ALL_KNOWN, .exact = true};
  uint64_t stack = mix(place) >> 1;
  for (uint32_t i = 0; i < UNWIND_REGISTERS; i++)
    frame.registers[i] = stack + 4096 + 256 * i;
  frame.registers[UNWIND_RSP] = stack;
  frame.registers[UNWIND_RBP] = stack + 3;
  frame.registers[UNWIND_RIP] = place;
  return frame;
}

/* What elfutils says: where it stands is evaluated here. False: no such operation. */
static bool evaluate(const Dwarf_Op *operations, size_t count, const struct unwind_frame *frame,
                     uint64_t cfa, uint64_t *result, bool *is_value, bool *is_register) {
  uint64_t stack[32], depth = 0;
  *is_value = *is_register = false;
  for (size_t i = 0; i < count; i++) {
    const Dwarf_Op *operation = &operations[i];
    uint64_t number = operation->number, *top = depth ? &stack[depth - 1] : stack;
    uint8_t atom = operation->atom;
    if (atom == DW_OP_call_frame_cfa)
      stack[depth++] = cfa;
    else if (atom == DW_OP_bregx)
      stack[depth++] = frame->registers[number] + operation->number2;
    else if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
      stack[depth++] = frame->registers[atom - DW_OP_breg0] + number;
    else if (atom == DW_OP_regx || (atom >= DW_OP_reg0 && atom <= DW_OP_reg31)) {
      stack[depth++] = frame->registers[atom == DW_OP_regx ? number : atom - DW_OP_reg0];
      *is_register = true;
    } else if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
      stack[depth++] = atom - DW_OP_lit0;
    else if (atom >= DW_OP_const1u && atom <= DW_OP_consts)
      stack[depth++] = number;
    else if (atom == DW_OP_plus_uconst)
      *top += number;
    else if (atom == DW_OP_drop)
      depth--;
    else if (atom == DW_OP_dup)
      stack[depth++] = *top;
    else if (atom == DW_OP_swap) {
      uint64_t second = stack[depth - 2];
      stack[depth - 2] = *top;
      *top = second;
    } else if (atom == DW_OP_deref)
      random_memory(NULL, *top, top);
    else if (atom == DW_OP_stack_value)
      *is_value = true;
    else {
      uint64_t b = stack[--depth], *a = &stack[depth - 1];
      switch (atom) {
      case DW_OP_plus:
        *a += b;
        break;
      case DW_OP_minus:
        *a -= b;
        break;
      case DW_OP_and:
        *a &= b;
        break;
      case DW_OP_mul:
        *a *= b;
        break;
      case DW_OP_shl:
        *a <<= b;
        break;
      case DW_OP_shr:
        *a >>= b;
        break;
      case DW_OP_or:
        *a |= b;
        break;
      case DW_OP_ge:
        *a = (int64_t)*a >= (int64_t)b;
        break;
      default:
        printf("operation 0x%x\n", atom);
        return false;
      }
    }
  }
  *result = stack[depth - 1];
  return depth > 0;
}

/* The caller's registers as elfutils has them; false: no CFA. */
static bool expected_caller(Dwarf_Frame *found, const struct unwind_frame *frame,
                            struct unwind_frame *caller, bool *outermost) {
  Dwarf_Op *operations, space[3];
  size_t count;
  uint64_t cfa;
  bool is_value, is_register;
  *outermost = false;
  if (dwarf_frame_cfa(found, &operations, &count) != 0 || !count ||
      !evaluate(operations, count, frame, 0, &cfa, &is_value, &is_register))
    return false;
  caller->known = 0;
  for (uint32_t i = 0; i < UNWIND_REGISTERS; i++) {
    uint64_t value = 0;
    if (dwarf_frame_register(found, (int)i, space, &operations, &count) != 0) continue;
    /* Where nothing is said, elfutils takes rax (0) for the callee-saved register that rbx is. */
    if (i == UNWIND_RAX && !count) continue;
    if (!count && (!operations || i == UNWIND_RBX))
      value = frame->registers[i]; /* same value */
    else if (!count) {
      *outermost |= i == UNWIND_RIP;
      continue;
    } else if (!evaluate(operations, count, frame, cfa, &value, &is_value, &is_register))
      return false;
    else if (!is_value && !is_register)
      random_memory(NULL, value, &value);
    caller->registers[i] = value;
    caller->known |= 1u << i;
  }
  return true;
}

static void wrong(const char *path, uint64_t place, const char *what, uint64_t got,
                  uint64_t expected) {
  printf("%s: 0x%" PRIx64 ": %s 0x%" PRIx64 ", elfutils 0x%" PRIx64 "\n", path, place, what, got,
         expected);
  checks_failed++;
}

static void compare(const char *path, uint64_t place, const struct unwind_frame *got,
                    const struct unwind_frame *expected) {
  static const char *const names[] = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
                                      "r9",  "r10", "r11", "r12", "r13", "r14", "r15", "rip"};
  for (uint32_t i = 0; i < UNWIND_REGISTERS; i++)
    if (got->known >> i & 1 &&
        (!(expected->known >> i & 1) || got->registers[i] != expected->registers[i]))
      wrong(path, place, names[i], got->registers[i], expected->registers[i]);
}

static void check_place(const char *path, const struct unwind_tables *tables, Dwarf_Frame *found,
                        bool signal_frame, uint64_t place) {
  struct unwind_frame frame = random_frame(place), expected = {0}, caller = frame;
  struct unwind_row row;
  bool outermost;
  struct unwind_rule rule = unwind_find_rule(tables, place);
  sums.places++;
  if (rule.kind == UNWIND_RULE_NONE) {
    if (!sums.cannot++) printf("%s: 0x%" PRIx64 ": no rule\n", path, place);
    return;
  }
  if (!expected_caller(found, &frame, &expected, &outermost)) {
    wrong(path, place, "a rule of kind", rule.kind, 0);
    return;
  }
  enum unwind_end end = unwind_step(rule, &caller, &memory);
  if ((end == UNWIND_OUTERMOST) != outermost) wrong(path, place, "step ends as", end, outermost);
  sums.packed += end == UNWIND_STEPPED || end == UNWIND_OUTERMOST;
  if (end == UNWIND_OUTERMOST) return;
  if (end == UNWIND_STEPPED) {
    uint32_t said = 1u << UNWIND_RIP | 1u << UNWIND_RSP | 1u << UNWIND_RBP;
    if (rule.frame_pointer == UNWIND_RBP_UNKNOWN) said &= ~(1u << UNWIND_RBP);
    if ((caller.known & said) != said) wrong(path, place, "known", caller.known, said);
    compare(path, place, &caller, &expected);
    if (caller.exact != signal_frame) wrong(path, place, "exact", caller.exact, signal_frame);
  }
  caller = frame;
  CHECK_EQUAL(unwind_find_row(tables, place, &row), 0);
  enum unwind_end by_row = unwind_step_row(tables, &row, &caller, &memory);
  if (by_row != UNWIND_STEPPED) {
    wrong(path, place, "row ends as", by_row, 0);
    return;
  }
  sums.rows += end == UNWIND_NEEDS_ROW;
  compare(path, place, &caller, &expected);
  if ((caller.known & expected.known) != expected.known)
    wrong(path, place, "known by row", caller.known, expected.known);
  if (caller.exact != signal_frame) wrong(path, place, "exact", caller.exact, signal_frame);
}

/* All rows, each at its first and its last byte. */
static void check_entry(const char *path, const struct unwind_tables *tables, Dwarf_CFI *cfi,
                        const struct unwind_entry *entry) {
  uint64_t place = entry->begin;
  for (int rows = 0; rows < ROWS_MOST && place < entry->end; rows++) {
    Dwarf_Frame *found = NULL;
    Dwarf_Addr start = place, end = place + 1;
    bool signal_frame = false;
    if (dwarf_cfi_addrframe(cfi, place, &found) != 0) {
      sums.nowhere++;
      struct unwind_rule rule = unwind_find_rule(tables, place);
      if (rule.kind != UNWIND_RULE_NONE) wrong(path, place, "a rule of kind", rule.kind, 0);
      return;
    }
    dwarf_frame_info(found, &start, &end, &signal_frame);
    check_place(path, tables, found, signal_frame, place);
    check_place(path, tables, found, signal_frame, end - 1);
    free(found);
    place = end;
  }
}

/* What no entry describes: neither has a rule there, but for stubs that tell by their code. */
static void check_gap(const char *path, const struct unwind_tables *tables, Dwarf_CFI *cfi,
                      uint64_t place) {
  Dwarf_Frame *found = NULL;
  struct unwind_entry entry;
  bool theirs = dwarf_cfi_addrframe(cfi, place, &found) == 0;
  bool ours = unwind_entry_find(tables, place, &entry) == 0;
  if (ours != theirs) wrong(path, place, "described", ours, theirs);
  free(found);
}

static void check_tables(const char *path, const struct unwind_tables *tables, Dwarf_CFI *cfi) {
  struct unwind_entry entry;
  uint64_t at = tables->frames, count = 0, number = 0;
  bool is_code;
  memset(&sums, 0, sizeof sums);
  for (uint64_t next = at; (next = unwind_entry_read(tables, next, &entry, &is_code));)
    count += is_code;
  uint64_t every = count / ENTRIES_MOST + 1;
  while ((at = unwind_entry_read(tables, at, &entry, &is_code))) {
    if (!is_code || number++ % every) continue;
    check_entry(path, tables, cfi, &entry);
    check_gap(path, tables, cfi, entry.end);
    check_gap(path, tables, cfi, entry.begin - 1);
  }
  printf("%s: %" PRIu64 " of %" PRIu64 " entries, %" PRIu64 " places: %" PRIu64 " packed, %" PRIu64
         " by row, %" PRIu64 " cannot; %" PRIu64 " nowhere\n",
         path, (number + every - 1) / every, count, sums.places, sums.packed, sums.rows,
         sums.cannot, sums.nowhere);
  CHECK(sums.places > 0);
  CHECK_EQUAL(sums.cannot, 0);
  /* Rows cost as much at each frame as others do once. (In this program the forms are many.) */
  CHECK(sums.rows * 100 <= sums.places || strcmp(path, objects[0]) == 0);
}

static void check_image(const char *path, void *image, uint64_t bytes, Elf *elf) {
  Dwarf_CFI *cfi = dwarf_getcfi_elf(elf);
  struct unwind_tables tables;
  CHECK(cfi != NULL);
  CHECK_EQUAL(unwind_tables_open(&tables, image, bytes), 0);
  if (cfi) check_tables(path, &tables, cfi);
  dwarf_cfi_end(cfi);
  elf_end(elf);
}

static void check_vdso(void) {
  char *vdso = (char *)getauxval(AT_SYSINFO_EHDR);
  const Elf64_Ehdr *header = (const void *)vdso;
  uint64_t bytes = header->e_shoff + (uint64_t)header->e_shnum * header->e_shentsize;
  check_image("vdso", vdso, bytes, elf_memory(vdso, bytes));
}

static void check_object(const char *path) {
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (descriptor < 0 || fstat(descriptor, &status) != 0) return;
  void *image = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  check_image(path, image, (uint64_t)status.st_size, elf_begin(descriptor, ELF_C_READ_MMAP, NULL));
  munmap(image, (size_t)status.st_size);
  close(descriptor);
}

int main(int count, char **arguments) {
  elf_version(EV_CURRENT);
  for (int i = 1; i < count; i++)
    check_object(arguments[i]);
  if (count < 2) check_vdso();
  for (size_t i = 0; count < 2 && i < sizeof objects / sizeof *objects; i++) {
    glob_t found;
    if (glob(objects[i], 0, NULL, &found) != 0) continue;
    for (size_t k = 0; k < found.gl_pathc; k++)
      check_object(found.gl_pathv[k]);
    globfree(&found);
  }
  return check_result();
}
