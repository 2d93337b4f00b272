#include "symbols/static_calls.h"

#include <capstone/capstone.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "symbols/pointer_origin.h"
#include "symbols/symbol_file.h"

enum { MOST_SLOT_SECTIONS = 4 };

struct finding {
  const struct symbol_file *file;
  const struct text_symbols *text;
  struct code_section slots[MOST_SLOT_SECTIONS]; /* the linker's, for functions of other objects */
  size_t slot_sections;
  struct static_calls *calls;
  csh engine;
  uint64_t start, end; /* of the function that is looked at */
  struct pointer_origins origins;
};

static void add(struct finding *finding, uint64_t from, uint64_t to) {
  struct static_calls *calls = finding->calls;
  ARRAY_GROW(calls->list, calls->count);
  calls->list[calls->count++] = (struct static_call){.from = from, .to = to};
}

static bool begins_a_function(const struct text_symbols *text, uint64_t address) {
  size_t found = text_symbols_find(text, address);
  return found != SIZE_MAX && text->list[found].address == address &&
         !text_symbol_whole(&text->list[found]);
}

/* ---- slots ---- */

/* A call through such a slot leads to a function of another object, which has a name: it is neither
 * in this executable nor unknown. */
static void find_slots(struct finding *finding, const struct symbol_file *file) {
  Dwfl_Module *module =
      file->dwfl ? dwfl_addrmodule(file->dwfl, finding->text->list[0].address) : NULL;
  GElf_Addr bias;
  Elf *elf = module ? dwfl_module_getelf(module, &bias) : NULL;
  size_t names;
  if (!elf || elf_getshdrstrndx(elf, &names) != 0) return;
  for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
    GElf_Shdr header;
    const char *name =
        gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
    if (name && strncmp(name, ".got", 4) == 0 && finding->slot_sections < MOST_SLOT_SECTIONS)
      finding->slots[finding->slot_sections++] =
          (struct code_section){header.sh_addr, header.sh_addr + header.sh_size};
  }
}

static bool is_slot(const struct finding *finding, uint64_t address) {
  for (size_t i = 0; i < finding->slot_sections; i++)
    if (address >= finding->slots[i].start && address < finding->slots[i].end) return true;
  return false;
}

/* ---- pointers ---- */

/* A table of places in the function itself: its first entry is one. */
static bool is_jump_table(const struct finding *finding, uint64_t address) {
  size_t size = finding->text->pointer_bytes;
  const uint8_t *entry = symbol_file_code(finding->file, address, size);
  uint64_t target = 0;
  for (size_t i = size; entry && i > 0; i--)
    target = target << 8 | entry[i - 1];
  return target >= finding->start && target < finding->end;
}

/* Branches of a switch stay in the function: compilers mark them with a prefix where calls through
 * pointers are guarded (notrack), else their addresses come from a table. */
static bool is_switch(const struct finding *finding, const cs_insn *found,
                      const struct pointer_origin *origin) {
  enum { NOTRACK = 0x3e };
  if (found->detail->x86.prefix[1] == NOTRACK || origin->kind == ORIGIN_SUM) return true;
  return origin->kind == ORIGIN_MEMORY && origin->indexed &&
         is_jump_table(finding, origin->address);
}

/* Whether the target of a jump or call through a pointer is unknown. */
static bool is_unknown(const struct finding *finding, const cs_insn *found, bool call,
                       const struct pointer_origin *origin) {
  if (origin->kind == ORIGIN_MEMORY && !origin->indexed && is_slot(finding, origin->address))
    return false;
  return call || !is_switch(finding, found, origin);
}

/* ---- calls ---- */

/* A jump out of its function to where another begins is a tail call; within it, and to a piece that
 * lies elsewhere, a branch. */
static void take_target(struct finding *finding, const cs_insn *found, bool call, uint64_t target) {
  bool inside = target >= finding->start && target < finding->end;
  if ((call || !inside) && begins_a_function(finding->text, target))
    add(finding, found->address + found->size - 1, target);
}

static void take(struct finding *finding, const cs_insn *found, bool call) {
  const cs_x86_op *operand = &found->detail->x86.operands[0];
  if (found->detail->x86.op_count != 1) return;
  struct pointer_origin origin = pointer_origin_of(&finding->origins, found, operand);
  if (operand->type == X86_OP_IMM)
    take_target(finding, found, call, (uint64_t)operand->imm);
  else if (origin.kind == ORIGIN_PLACE)
    take_target(finding, found, call, origin.address);
  else
    finding->calls->indirect += is_unknown(finding, found, call, &origin);
}

static void look_at(struct finding *finding, const uint8_t *code, cs_insn *found) {
  static const struct pointer_origins unknown;
  uint64_t address = finding->start;
  finding->origins = unknown;
  size_t left = finding->end - finding->start;
  while (left > 0) {
    if (cs_disasm_iter(finding->engine, &code, &left, &address, found)) {
      bool call = cs_insn_group(finding->engine, found, CS_GRP_CALL);
      if (call || cs_insn_group(finding->engine, found, CS_GRP_JUMP)) take(finding, found, call);
      pointer_origins_note(&finding->origins, found);
    } else {
      code++, left--, address++; /* no code: data between functions */
    }
  }
}

/* A symbol's code, up to the next one. */
static void look_at_symbol(struct finding *finding, const struct symbol_file *file, size_t index,
                           cs_insn *found) {
  const struct text_symbol *symbol = &finding->text->list[index];
  uint64_t end = symbol->section_end;
  if (index + 1 < finding->text->count && finding->text->list[index + 1].address < end)
    end = finding->text->list[index + 1].address;
  const uint8_t *code =
      end > symbol->address ? symbol_file_code(file, symbol->address, end - symbol->address) : NULL;
  size_t indirect = finding->calls->indirect;
  if (!code) return;
  finding->start = symbol->address;
  finding->end = end;
  look_at(finding, code, found);
  finding->calls->indirect_functions += finding->calls->indirect > indirect;
}

int static_calls_find(struct symbol_file *file, const struct text_symbols *text,
                      struct static_calls *calls, struct error *error) {
  struct finding finding = {.file = file, .text = text, .calls = calls};
  if (text->machine != EM_X86_64 && text->machine != EM_386)
    return error_set(error, "%s is not code of x86: its calls cannot be read", file->path);
  cs_mode mode = text->machine == EM_X86_64 ? CS_MODE_64 : CS_MODE_32;
  if (cs_open(CS_ARCH_X86, mode, &finding.engine) != CS_ERR_OK)
    return error_set(error, "the disassembler cannot be started");
  cs_option(finding.engine, CS_OPT_DETAIL, CS_OPT_ON);
  cs_insn *found = cs_malloc(finding.engine);
  if (!found) memory_exhausted();
  if (text->count) find_slots(&finding, file);
  for (size_t i = 0; i < text->count; i++)
    look_at_symbol(&finding, file, i, found);
  cs_free(found, 1);
  cs_close(&finding.engine);
  return 0;
}

void static_calls_free(struct static_calls *calls) {
  free(calls->list);
  *calls = (struct static_calls){0};
}
