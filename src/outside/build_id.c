#include "outside/build_id.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

static bool within(uint64_t offset, uint64_t length, uint64_t bytes) {
  return offset <= bytes && length <= bytes - offset;
}

static uint64_t padded(uint64_t bytes) {
  return (bytes + 3) / 4 * 4;
}

static uint32_t find_note(const uint8_t *notes, uint64_t bytes, const uint8_t **build_id) {
  static const char owner[] = ELF_NOTE_GNU;
  uint64_t at = 0;
  while (within(at, sizeof(Elf64_Nhdr), bytes)) {
    Elf64_Nhdr note;
    memcpy(&note, notes + at, sizeof note);
    uint64_t name = at + sizeof note, text = name + padded(note.n_namesz);
    if (!within(text, note.n_descsz, bytes)) return 0;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof owner &&
        memcmp(notes + name, owner, sizeof owner) == 0 && note.n_descsz <= BUILD_ID_MOST) {
      *build_id = notes + text;
      return note.n_descsz;
    }
    at = text + padded(note.n_descsz);
  }
  return 0;
}

uint32_t build_id_find(const uint8_t *image, uint64_t bytes, const uint8_t **build_id) {
  Elf64_Ehdr elf;
  if (bytes < sizeof elf) return 0;
  memcpy(&elf, image, sizeof elf);
  if (memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 || elf.e_ident[EI_CLASS] != ELFCLASS64 ||
      elf.e_phentsize != sizeof(Elf64_Phdr) ||
      !within(elf.e_phoff, (uint64_t)elf.e_phnum * sizeof(Elf64_Phdr), bytes))
    return 0;
  for (int i = 0; i < elf.e_phnum; i++) {
    Elf64_Phdr segment;
    memcpy(&segment, image + elf.e_phoff + (uint64_t)i * sizeof segment, sizeof segment);
    if (segment.p_type != PT_NOTE || !within(segment.p_offset, segment.p_filesz, bytes)) continue;
    uint32_t found = find_note(image + segment.p_offset, segment.p_filesz, build_id);
    if (found) return found;
  }
  return 0;
}
