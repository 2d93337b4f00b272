#include "symbols/call_sites.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "symbols/symbol_file.h"

enum { DEEPEST_BLOCK = 200 };

#define DW_AT_LLVM_alloc_type 0x3e0e /* llvm/BinaryFormat/Dwarf.def */

/* ---- the code ---- */

const uint8_t *symbol_file_code(const struct symbol_file *file, uint64_t address, size_t bytes) {
  Dwfl_Module *module = file->dwfl ? dwfl_addrmodule(file->dwfl, address) : NULL;
  GElf_Addr bias;
  Elf *elf = module ? dwfl_module_getelf(module, &bias) : NULL;
  size_t size;
  const char *raw = elf ? elf_rawfile(elf, &size) : NULL;
  uint64_t offset;
  if (!raw || symbol_file_offset(file, address, &offset) != 0 || offset > size ||
      size - offset < bytes)
    return NULL;
  return (const uint8_t *)raw + offset;
}

/* `bytes` bytes of code before `address`, or null. */
static const uint8_t *code_before(const struct symbol_file *file, uint64_t address, size_t bytes) {
  return symbol_file_code(file, address - bytes, bytes);
}

bool symbol_file_returns_from_signal(const struct symbol_file *file, uint64_t address) {
  static const uint8_t expected[] = {0x48, 0xc7, 0xc0, 0x0f, 0,
                                     0,    0,    0x0f, 0x05}; /* mov $15, %rax; syscall */
  const uint8_t *code = symbol_file_code(file, address, sizeof expected);
  return code && memcmp(code, expected, sizeof expected) == 0;
}

/* The function that begins at `address`; through a stub, the function it stands for. */
static int target_at(struct symbol_file *file, uint64_t address, struct call_target *target) {
  const struct table_symbol *symbol = symbol_table_find(&file->table, address);
  if (!symbol || symbol->address != address) return -1;
  const char *at = strchr(symbol->linkage, '@');
  if (!at || strcmp(at, "@plt") != 0) {
    *target = (struct call_target){.address = address};
    return 0;
  }
  *target = (struct call_target){
      .name = arena_text(&file->arena, symbol->linkage, (size_t)(at - symbol->linkage))};
  return 0;
}

/* The target of the instruction `opcode rel32` that ends at `end`. */
static int near_target(struct symbol_file *file, uint64_t end, uint8_t opcode,
                       struct call_target *target) {
  const uint8_t *code = code_before(file, end, 5);
  int32_t displacement;
  if (!code || code[0] != opcode) return -1;
  memcpy(&displacement, code + 1, sizeof displacement);
  return target_at(file, end + (uint64_t)(int64_t)displacement, target);
}

/* The target of the instruction `opcode rel8` that ends at `end`. */
static int short_target(struct symbol_file *file, uint64_t end, uint8_t opcode,
                        struct call_target *target) {
  const uint8_t *code = code_before(file, end, 2);
  if (!code || code[0] != opcode) return -1;
  return target_at(file, end + (uint64_t)(int64_t)(int8_t)code[1], target);
}

/* `call *disp32(%rip)`: through a pointer, or a call of a function in another object that was
 * compiled without a stub; only the debug information knows which. */
static int calls_through_memory(const struct symbol_file *file, uint64_t end) {
  const uint8_t *code = code_before(file, end, 6);
  return code && code[0] == 0xff && code[1] == 0x15;
}

/* ---- call sites ---- */

struct walk {
  struct symbol_file *file;
  struct tail_call *list;
  size_t count;
  uint64_t return_address; /* wanted: the call that returns there; 0: all tail calls */
  Dwarf_Die site;          /* the last of the list */
  int failed;
};

static int get_address(Dwarf_Die *die, unsigned name, uint64_t *address) {
  Dwarf_Attribute attribute;
  Dwarf_Addr value;
  if (dwarf_formaddr(dwarf_attr(die, name, &attribute), &value) != 0) return -1;
  *address = value;
  return 0;
}

/* Where the jump at `address` ends (jmp rel8, rel32 or *disp32(%rip)); 0: it is none of these. */
static uint64_t jump_end(const struct symbol_file *file, uint64_t address) {
  const uint8_t *code = symbol_file_code(file, address, 2);
  if (!code) return 0;
  if (code[0] == 0xeb) return address + 2;
  if (code[0] == 0xe9) return address + 5;
  return code[0] == 0xff && code[1] == 0x25 ? address + 6 : 0;
}

/* Where the instruction of a call site ends; 0: not known. gcc gives the end of tail calls, too;
 * clang, as DWARF 5 (3.4.1) has it, their beginning. */
static uint64_t site_end(const struct symbol_file *file, Dwarf_Die *site) {
  uint64_t address;
  unsigned name = dwarf_tag(site) == DW_TAG_call_site ? DW_AT_call_return_pc : DW_AT_low_pc;
  if (get_address(site, name, &address) == 0) return address + file->debug.bias;
  if (get_address(site, DW_AT_call_pc, &address) != 0) return 0;
  return jump_end(file, address + file->debug.bias);
}

static int is_tail_call(Dwarf_Die *site) {
  return dwarf_hasattr(site, DW_AT_call_tail_call) || dwarf_hasattr(site, DW_AT_GNU_tail_call);
}

static const char *linkage_name(Dwarf_Die *function) {
  Dwarf_Attribute attribute;
  const char *name =
      dwarf_formstring(dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute));
  return name ? name : dwarf_diename(function);
}

/* What a call site names; nothing is known of a call through a pointer.  An entry of the callee
 * without an address stands for a function of another unit or object, or for all its copies:
 * then the jump itself says which, if it can. */
static struct call_target site_target(struct symbol_file *file, Dwarf_Die *site) {
  struct call_target target = {0};
  Dwarf_Attribute attribute;
  Dwarf_Die callee;
  Dwarf_Addr start;
  unsigned name = dwarf_tag(site) == DW_TAG_call_site ? DW_AT_call_origin : DW_AT_abstract_origin;
  if (!dwarf_formref_die(dwarf_attr(site, name, &attribute), &callee)) return target;
  if (dwarf_lowpc(&callee, &start) == 0) {
    target.address = start + file->debug.bias;
    return target;
  }
  uint64_t end = site_end(file, site);
  if (end &&
      (near_target(file, end, 0xe9, &target) == 0 || short_target(file, end, 0xeb, &target) == 0))
    return target;
  target.name = linkage_name(&callee);
  return target;
}

static void take_site(struct walk *walk, Dwarf_Die *site) {
  uint64_t end = site_end(walk->file, site);
  if (walk->return_address ? end != walk->return_address : !is_tail_call(site)) return;
  walk->site = *site;
  ARRAY_GROW(walk->list, walk->count);
  walk->list[walk->count++] =
      (struct tail_call){.target = site_target(walk->file, site), .end = end};
}

static void walk_sites(struct walk *walk, Dwarf_Die *parent, unsigned depth) {
  Dwarf_Die child;
  if (depth > DEEPEST_BLOCK) walk->failed = 1;
  if (walk->failed || dwarf_child(parent, &child) != 0) return;
  do {
    switch (dwarf_tag(&child)) {
    case DW_TAG_call_site:
    case DW_TAG_GNU_call_site:
      take_site(walk, &child);
      break;
    case DW_TAG_lexical_block:
    case DW_TAG_inlined_subroutine:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
      walk_sites(walk, &child, depth + 1);
      break;
    default:
      break;
    }
  } while (dwarf_siblingof(&child, &child) == 0);
}

/* The compiler says so where it has described every tail call of a function. */
static int has_all_tail_calls(Dwarf_Die *function) {
  static const unsigned names[] = {DW_AT_call_all_calls, DW_AT_call_all_tail_calls,
                                   DW_AT_GNU_all_call_sites, DW_AT_GNU_all_tail_call_sites};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (dwarf_hasattr(function, names[i])) return 1;
  return 0;
}

int symbol_file_tail_calls(struct symbol_file *file, uint64_t address, struct tail_call **list,
                           size_t *count) {
  Dwarf_Die function;
  if (debug_info_function(&file->debug, address, &function) != 0 || !has_all_tail_calls(&function))
    return -1;
  struct walk walk = {.file = file};
  walk_sites(&walk, &function, 0);
  if (walk.failed) {
    free(walk.list);
    return -1;
  }
  *list = walk.list;
  *count = walk.count;
  return 0;
}

/* The one call that returns there. */
static int described_call(struct symbol_file *file, uint64_t return_address,
                          struct call_target *target, Dwarf_Die *site) {
  Dwarf_Die function;
  if (debug_info_function(&file->debug, return_address - 1, &function) != 0) return -1;
  struct walk walk = {.file = file, .return_address = return_address};
  walk_sites(&walk, &function, 0);
  bool known = !walk.failed && walk.count == 1;
  if (known) {
    *target = walk.list->target;
    *site = walk.site;
  }
  free(walk.list);
  return known ? 0 : -1;
}

int symbol_file_call_target(struct symbol_file *file, uint64_t return_address,
                            struct call_target *target) {
  if (near_target(file, return_address, 0xe8, target) == 0) return 0;
  if (!calls_through_memory(file, return_address)) return -1;
  Dwarf_Die site;
  if (described_call(file, return_address, target, &site) != 0) return -1;
  return target->address || target->name ? 0 : -1;
}

/* "outer::node"; null: a pointer, which has no name. */
static char *type_name(Dwarf_Die *type) {
  Dwarf_Die *scopes = NULL;
  if (!dwarf_diename(type) && dwarf_peel_type(type, type) != 0) return NULL; /* const node */
  const char *own = dwarf_diename(type);
  int count = own ? dwarf_getscopes_die(type, &scopes) : 0;
  char *name = own ? memory_text(own) : NULL;
  for (int i = 1; i < count; i++) {
    int tag = dwarf_tag(&scopes[i]);
    const char *scope = dwarf_diename(&scopes[i]);
    if (tag != DW_TAG_namespace && tag != DW_TAG_structure_type && tag != DW_TAG_class_type)
      continue;
    char *outer = memory_printed("%s::%s", scope ? scope : "(anonymous namespace)", name);
    free(name);
    name = outer;
  }
  free(scopes);
  return name;
}

char *symbol_file_allocated_type(struct symbol_file *file, uint64_t return_address) {
  struct call_target target;
  Dwarf_Attribute attribute;
  Dwarf_Die site, type;
  if (described_call(file, return_address, &target, &site) != 0 ||
      !dwarf_formref_die(dwarf_attr(&site, DW_AT_LLVM_alloc_type, &attribute), &type))
    return NULL;
  return type_name(&type);
}

uint64_t symbol_file_named_function(struct symbol_file *file, const char *name) {
  const struct table_symbol *symbol = symbol_table_named(&file->table, name);
  return symbol ? symbol->address : 0;
}
