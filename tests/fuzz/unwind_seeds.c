/* Writes the seed corpus of the unwinder's fuzz target: unwind_seeds DIRECTORY */
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>

#include "unwind/frame_tables.h"

#define FILE_BYTES_MOST 60000

static void write_seed(const char *directory, const char *name, uint8_t kind, const uint8_t *bytes,
                       size_t count) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  FILE *file = fopen(path, "wb");
  if (!file || fputc(kind, file) == EOF || fwrite(bytes, 1, count, file) != count ||
      fclose(file) != 0) {
    perror(path);
    exit(1);
  }
}

/* The vdso as a file, and its .eh_frame alone. */
static void seed_vdso(const char *directory) {
  const uint8_t *vdso = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
  const ElfW(Ehdr) *header = (const void *)vdso;
  struct unwind_tables tables;
  size_t bytes = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
  if (!vdso || unwind_tables_open(&tables, vdso, bytes) != 0) return;
  write_seed(directory, "vdso", 0, vdso, bytes);
  write_seed(directory, "vdso_frames", 2, vdso + tables.frames, tables.frames_end - tables.frames);
}

/* This program: its hand-written frames have the rarer rules. */
static void seed_self(const char *directory) {
  static uint8_t bytes[1 << 22];
  struct unwind_tables tables;
  FILE *file = fopen("/proc/self/exe", "rb");
  size_t count = file ? fread(bytes, 1, sizeof bytes, file) : 0;
  if (file) fclose(file);
  if (unwind_tables_open(&tables, bytes, count) != 0) return;
  write_seed(directory, "self", 0, bytes, count < FILE_BYTES_MOST ? count : FILE_BYTES_MOST);
  write_seed(directory, "self_frames", 2, bytes + tables.frames, tables.frames_end - tables.frames);
}

/* Of Go 1.20: one function at the begin of its code, with a frame of 24 bytes from its fifth byte
 * on. Its table begins 96 bytes after the header, and the values 192. */
static void seed_go(const char *directory) {
  uint8_t table[256] = {0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8, 1};
  table[56] = 192;
  table[64] = 96;
  table[96 + 4] = 16;      /* its description, from the table on */
  table[96 + 16 + 16] = 1; /* its values */
  static const uint8_t values[] = {2, 4, 48, 0x40, 0};
  for (size_t i = 0; i < sizeof values; i++)
    table[193 + i] = values[i];
  write_seed(directory, "go", 1, table, sizeof table);
}

int main(int count, char **arguments) {
  if (count != 2) {
    fprintf(stderr, "usage: %s DIRECTORY\n", arguments[0]);
    return 2;
  }
  seed_vdso(arguments[1]);
  seed_self(arguments[1]);
  seed_go(arguments[1]);
  return 0;
}
