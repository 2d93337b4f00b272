/* libFuzzer target: any bytes as an object with debug information. They are read by libdw; what is
 * ours are the blocks, ranges and names that are made of what it says. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbols/disassembly.h"
#include "symbols/linkage.h"
#include "symbols/symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The code of the seeds lies here. */
enum { NEAREST = 0x1e0, FARTHEST = 0x400, ROOM = 16, LONGEST_CODE = 512 };

static void look_at(struct symbol_file *file, uint64_t address) {
  struct symbol_frame frames[ROOM];
  size_t count = symbol_file_frames(file, address, frames, ROOM);
  assert(count <= ROOM);
  for (size_t i = 0; i < count; i++) {
    assert(frames[i].symbol.name && frames[i].symbol.linkage);
    assert(frames[i].inlined == (i > 0));
    assert(address - frames[i].symbol.address < frames[i].symbol.size);
  }
  struct disassembly disassembly = {0};
  if (count && frames[0].symbol.address == address && frames[0].symbol.size <= LONGEST_CODE)
    symbol_file_disassemble(file, address, frames[0].symbol.size, &disassembly);
  disassembly_free(&disassembly);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[64];
  int descriptor = memfd_create("object", MFD_CLOEXEC);
  if (descriptor < 0 || write(descriptor, data, size) != (ssize_t)size) return 0;
  struct symbols *symbols = symbols_create();
  snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  struct symbol_file *file = symbols_file(symbols, path, NULL, 0);
  for (uint64_t address = NEAREST; address < FARTHEST; address++)
    look_at(file, address);
  struct linkage linkage;
  linkage_read(file, &linkage);
  for (size_t i = 0; i < linkage.count; i++)
    assert(linkage_find(&linkage, linkage.names[i].name) <= i);
  linkage_free(&linkage);
  symbols_free(symbols);
  close(descriptor);
  return 0;
}
