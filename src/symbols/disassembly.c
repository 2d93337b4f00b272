#include "symbols/disassembly.h"

#include <capstone/capstone.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "symbols/call_sites.h"
#include "symbols/demangle.h"
#include "symbols/name_parts.h"
#include "symbols/symbol_file.h"

enum { NAME_BYTES = 400, TEXT_BYTES = 700, MOST_BYTES = 16 << 20 };

/* ---- names ---- */

/* "name" or "name+0x12" of a function; empty if there is none. */
static void name_function(struct symbol_file *file, uint64_t address, char text[NAME_BYTES]) {
  struct symbol symbol;
  text[0] = '\0';
  if (symbol_file_function(file, address, &symbol) != 0) return;
  name_brief(symbol.name, text, NAME_BYTES - 60);
  size_t used = strlen(text);
  const char *clone = symbol.linkage + demangle_base_length(symbol.linkage);
  if (*clone == '.') used += snprintf(text + used, NAME_BYTES - used - 20, "%.30s", clone);
  if (address != symbol.address)
    snprintf(text + used, NAME_BYTES - used, "+0x%" PRIx64, address - symbol.address);
}

/* The name of data or code; null if the symbol table has none that begins there. */
static const char *name_of_anything(struct symbol_file *file, uint64_t address,
                                    char text[NAME_BYTES]) {
  Dwfl_Module *module = file->dwfl ? dwfl_addrmodule(file->dwfl, address) : NULL;
  GElf_Off offset;
  GElf_Sym symbol;
  const char *name =
      module ? dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL) : NULL;
  if (!name || offset != 0) return NULL;
  return name_brief(symbol_file_shown_name(file, name), text, NAME_BYTES);
}

/* ---- one instruction ---- */

static const cs_x86_op *operand(const cs_insn *found, x86_op_type type) {
  const cs_x86 *details = &found->detail->x86;
  for (uint8_t i = 0; i < details->op_count; i++)
    if (details->operands[i].type == type) return &details->operands[i];
  return NULL;
}

/* Where a call goes: to a function, or through a slot that the linker fills. */
static void describe_call(struct symbol_file *file, const cs_insn *found, char text[TEXT_BYTES]) {
  const cs_x86_op *fixed = operand(found, X86_OP_IMM);
  struct call_target target;
  char name[NAME_BYTES];
  if (fixed) {
    name_function(file, (uint64_t)fixed->imm, name);
    if (name[0])
      snprintf(text, TEXT_BYTES, "%-7s %s", found->mnemonic, name);
    else
      snprintf(text, TEXT_BYTES, "%-7s %" PRIx64, found->mnemonic, (uint64_t)fixed->imm);
  } else if (symbol_file_call_target(file, found->address + found->size, &target) == 0 &&
             target.name) {
    snprintf(text, TEXT_BYTES, "%-7s %s  # %s", found->mnemonic, found->op_str,
             name_brief(symbol_file_shown_name(file, target.name), name, sizeof name));
  }
}

static void describe_jump(struct symbol_file *file, const cs_insn *found, uint64_t start,
                          uint64_t end, char text[TEXT_BYTES]) {
  const cs_x86_op *fixed = operand(found, X86_OP_IMM);
  char name[NAME_BYTES] = "";
  if (!fixed) return;
  uint64_t target = (uint64_t)fixed->imm;
  if (target < start || target >= end) name_function(file, target, name);
  if (name[0])
    snprintf(text, TEXT_BYTES, "%-7s %s", found->mnemonic, name);
  else
    snprintf(text, TEXT_BYTES, "%-7s %" PRIx64, found->mnemonic, target);
}

/* What an address relative to the instruction stands for. */
static void describe_data(struct symbol_file *file, const cs_insn *found, char text[TEXT_BYTES]) {
  const cs_x86_op *memory = operand(found, X86_OP_MEM);
  if (!memory || memory->mem.base != X86_REG_RIP) return;
  uint64_t address = found->address + found->size + (uint64_t)memory->mem.disp;
  char brief[NAME_BYTES];
  const char *name = name_of_anything(file, address, brief);
  size_t used = strlen(text);
  if (name)
    snprintf(text + used, TEXT_BYTES - used, "  # %s", name);
  else
    snprintf(text + used, TEXT_BYTES - used, "  # %" PRIx64, address);
}

/* ---- all of them ---- */

struct decoding {
  struct symbol_file *file;
  struct disassembly *disassembly;
  csh engine;
  uint64_t start, end;
};

static void add(struct disassembly *disassembly, struct instruction instruction, const char *text) {
  ARRAY_GROW(disassembly->list, disassembly->count);
  instruction.text = arena_text(&disassembly->arena, text, strlen(text));
  disassembly->list[disassembly->count++] = instruction;
}

static void add_decoded(struct decoding *decoding, const cs_insn *found) {
  char text[TEXT_BYTES];
  bool jumps = cs_insn_group(decoding->engine, found, CS_GRP_JUMP);
  const cs_x86_op *fixed = jumps ? operand(found, X86_OP_IMM) : NULL;
  snprintf(text, sizeof text, *found->op_str ? "%-7s %s" : "%s", found->mnemonic, found->op_str);
  if (jumps)
    describe_jump(decoding->file, found, decoding->start, decoding->end, text);
  else if (cs_insn_group(decoding->engine, found, CS_GRP_CALL))
    describe_call(decoding->file, found, text);
  else
    describe_data(decoding->file, found, text);
  add(decoding->disassembly,
      (struct instruction){.address = found->address,
                           .bytes = found->size,
                           .jumps = jumps,
                           .target = fixed ? (uint64_t)fixed->imm : 0},
      text);
}

static void decode(struct decoding *decoding, const uint8_t *code, size_t left, cs_insn *found) {
  uint64_t address = decoding->start;
  while (left > 0) {
    if (cs_disasm_iter(decoding->engine, &code, &left, &address, found)) {
      add_decoded(decoding, found);
      continue;
    }
    add(decoding->disassembly, (struct instruction){.address = address, .bytes = 1}, "(bad)");
    code++, left--, address++;
  }
}

int symbol_file_disassemble(struct symbol_file *file, uint64_t start, uint64_t bytes,
                            struct disassembly *disassembly) {
  const uint8_t *code = bytes <= MOST_BYTES ? symbol_file_code(file, start, bytes) : NULL;
  struct decoding decoding = {
      .file = file, .disassembly = disassembly, .start = start, .end = start + bytes};
  if (!code || cs_open(CS_ARCH_X86, CS_MODE_64, &decoding.engine) != CS_ERR_OK) return -1;
  cs_option(decoding.engine, CS_OPT_DETAIL, CS_OPT_ON);
  cs_option(decoding.engine, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
  cs_insn *found = cs_malloc(decoding.engine);
  if (!found) memory_exhausted();
  decode(&decoding, code, bytes, found);
  cs_free(found, 1);
  cs_close(&decoding.engine);
  return 0;
}

void disassembly_free(struct disassembly *disassembly) {
  free(disassembly->list);
  arena_free(&disassembly->arena);
  *disassembly = (struct disassembly){0};
}

int symbol_file_named(struct symbol_file *file, const char *linkage, size_t *at,
                      struct symbol *symbol) {
  size_t length = demangle_base_length(linkage);
  while (*at < file->table.count) {
    const struct table_symbol *found = &file->table.symbols[(*at)++];
    const char *name;
    for (size_t i = 0; (name = symbol_table_name(&file->table, found, i)); i++)
      if (demangle_is_base(name, linkage, length) &&
          symbol_file_function(file, found->address, symbol) == 0)
        return 0;
  }
  return -1;
}
