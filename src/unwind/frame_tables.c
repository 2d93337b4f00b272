#include "unwind/frame_tables.h"

#include "unwind/go_table.h"
#include "unwind/pointer_encoding.h"
#include "unwind/segments.h"

#include <elf.h>
#include <stddef.h>

_Static_assert(sizeof(struct unwind_segment) == sizeof(Elf64_Phdr), "");

/* Wherever they stand. */
struct __attribute__((packed, may_alias)) file_header {
  Elf64_Ehdr elf;
};
struct __attribute__((packed, may_alias)) section_header {
  Elf64_Shdr elf;
};

#define HEADER_BYTES 4 /* of .eh_frame_hdr, before its first pointer */
#define ENTRY_BYTES 8  /* of its table, in the one encoding that linkers use: */
#define ENTRY_ENCODING (POINTER_BASE_DATA | POINTER_S4)

static bool within(const struct unwind_tables *tables, uint64_t offset, uint64_t bytes) {
  return offset <= tables->bytes && bytes <= tables->bytes - offset;
}

static bool is_our_elf(const struct file_header *header) {
  return header->elf.e_ident[EI_MAG0] == ELFMAG0 && header->elf.e_ident[EI_MAG1] == ELFMAG1 &&
         header->elf.e_ident[EI_MAG2] == ELFMAG2 && header->elf.e_ident[EI_MAG3] == ELFMAG3 &&
         header->elf.e_ident[EI_CLASS] == ELFCLASS64 &&
         header->elf.e_ident[EI_DATA] == ELFDATA2LSB && header->elf.e_machine == EM_X86_64;
}

/* .eh_frame begins at the link-time address `address`, and ends at the latest with its segment. */
static bool frames_at(struct unwind_tables *tables, uint64_t address) {
  for (uint32_t i = 0; i < tables->segment_count; i++) {
    const struct unwind_segment *segment = unwind_segment(tables, i);
    if (segment->p_type != PT_LOAD || address - segment->p_vaddr >= segment->p_filesz) continue;
    tables->frames_base = segment->p_vaddr - segment->p_offset;
    tables->frames = address - tables->frames_base;
    tables->frames_end = segment->p_offset + segment->p_filesz;
    if (!within(tables, segment->p_offset, segment->p_filesz)) tables->frames_end = tables->bytes;
    return tables->frames < tables->frames_end;
  }
  return false;
}

static bool read_header(struct unwind_tables *tables, uint64_t offset, uint64_t address) {
  if (!within(tables, offset, HEADER_BYTES)) return false;
  struct byte_cursor cursor = {tables->image + offset, tables->image + tables->bytes};
  uint8_t version = (uint8_t)byte_cursor_number(&cursor, 1);
  uint8_t frames_encoding = (uint8_t)byte_cursor_number(&cursor, 1);
  uint8_t count_encoding = (uint8_t)byte_cursor_number(&cursor, 1);
  uint8_t entry_encoding = (uint8_t)byte_cursor_number(&cursor, 1);
  if (version != 1) return false;
  uint64_t frames = pointer_address(&cursor, frames_encoding, address + HEADER_BYTES);
  if (cursor.failed || !frames_at(tables, frames)) return false;
  if (count_encoding == POINTER_OMITTED || entry_encoding != ENTRY_ENCODING) return true;
  uint64_t count = pointer_number(&cursor, count_encoding);
  if (cursor.failed || count > UINT32_MAX) return true;
  tables->entries = (uint64_t)(cursor.at - tables->image);
  if (!within(tables, tables->entries, count * ENTRY_BYTES)) return true;
  tables->entries_base = address;
  tables->entry_count = (uint32_t)count;
  return true;
}

static bool is_named(const struct unwind_tables *tables, uint64_t name, const char *wanted) {
  for (uint64_t i = 0; within(tables, name + i, 1); i++) {
    if (tables->image[name + i] != (uint8_t)wanted[i]) return false;
    if (!wanted[i]) return true;
  }
  return false;
}

/* A section with contents, all of them in the image; or null. */
static const struct section_header *find_section(const struct unwind_tables *tables,
                                                 const struct file_header *header,
                                                 const char *name) {
  uint64_t count = header->elf.e_shnum, names = header->elf.e_shstrndx;
  if (header->elf.e_shentsize != sizeof(Elf64_Shdr) || names >= count ||
      !within(tables, header->elf.e_shoff, count * sizeof(Elf64_Shdr)))
    return NULL;
  const struct section_header *sections =
      (const struct section_header *)(tables->image + header->elf.e_shoff);
  if (!within(tables, sections[names].elf.sh_offset, sections[names].elf.sh_size)) return NULL;
  for (uint64_t i = 0; i < count; i++) {
    const struct section_header *section = &sections[i];
    if (section->elf.sh_type == SHT_NOBITS ||
        !is_named(tables, sections[names].elf.sh_offset + section->elf.sh_name, name))
      continue;
    return within(tables, section->elf.sh_offset, section->elf.sh_size) ? section : NULL;
  }
  return NULL;
}

/* Linked without .eh_frame_hdr: static executables of some tool chains. */
static bool find_frames(struct unwind_tables *tables, const struct file_header *header) {
  const struct section_header *section = find_section(tables, header, ".eh_frame");
  if (!section) return false;
  tables->frames = section->elf.sh_offset;
  tables->frames_end = section->elf.sh_offset + section->elf.sh_size;
  tables->frames_base = section->elf.sh_addr - section->elf.sh_offset;
  return true;
}

/* Linked by Go. */
static bool find_go_table(struct unwind_tables *tables, const struct file_header *header) {
  const struct section_header *table = find_section(tables, header, ".gopclntab");
  if (!table) table = find_section(tables, header, ".data.rel.ro.gopclntab");
  if (!table) return false;
  const struct section_header *text = find_section(tables, header, ".text");
  unwind_go_table_open(tables, table->elf.sh_offset, table->elf.sh_size,
                       text ? text->elf.sh_addr : 0);
  return true;
}

int unwind_tables_open(struct unwind_tables *tables, const void *image, uint64_t bytes) {
  struct unwind_tables found = {.image = image, .bytes = bytes};
  const struct file_header *header = image;
  if (bytes < sizeof *header || !is_our_elf(header) ||
      header->elf.e_phentsize != sizeof(Elf64_Phdr) ||
      !within(&found, header->elf.e_phoff, (uint64_t)header->elf.e_phnum * sizeof(Elf64_Phdr)))
    return -1;
  found.entry_point = header->elf.e_entry;
  found.segments = header->elf.e_phoff;
  found.segment_count = header->elf.e_phnum;
  bool have = false;
  for (uint32_t i = 0; i < found.segment_count && !have; i++) {
    const struct unwind_segment *segment = unwind_segment(&found, i);
    if (segment->p_type == PT_GNU_EH_FRAME)
      have = read_header(&found, segment->p_offset, segment->p_vaddr);
  }
  if (!have) have = find_frames(&found, header);
  if (!find_go_table(&found, header) && !have) return -1;
  *tables = found;
  return 0;
}
