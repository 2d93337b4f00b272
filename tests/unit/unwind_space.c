#include "unwind_space.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define OBJECTS_MOST 64

static struct unwind_tables tables[OBJECTS_MOST];
static struct unwind_object sorted[OBJECTS_MOST];
static struct unwind_objects objects = {.sorted = sorted};
static struct unwind_cache cache;
static uint64_t stack_high;

static void add(uint64_t start, uint64_t end, uint64_t offset, const char *path) {
  const void *image = (const void *)start;
  uint64_t bytes = end - start, number = objects.count;
  if (path[0] == '/') {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0) return;
    bytes = (uint64_t)status.st_size;
    image = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
  } else if (strcmp(path, "[vdso]") != 0) {
    return;
  }
  if (number == OBJECTS_MOST || unwind_tables_open(&tables[number], image, bytes) != 0) return;
  sorted[number] = (struct unwind_object){start, end, 0, &tables[number]};
  if (unwind_tables_bias(&tables[number], start, end - start, offset, &sorted[number].bias) == 0)
    objects.count++;
}

void own_space_read(struct unwind_space *space, uint64_t cache_slots) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[4352], path[4096], rights[5];
  uint64_t start, end, offset;
  objects.count = 0;
  while (maps && fgets(line, sizeof line, maps)) {
    path[0] = 0;
    if (sscanf(line, "%lx-%lx %4s %lx %*s %*s %4095s", &start, &end, rights, &offset, path) < 4)
      continue;
    if (strcmp(path, "[stack]") == 0) stack_high = end;
    if (rights[2] == 'x') add(start, end, offset, path);
  }
  if (maps) fclose(maps);
  cache.slots = calloc(cache_slots, sizeof *cache.slots);
  cache.mask = cache_slots - 1;
  *space = (struct unwind_space){unwind_objects_find, &objects, &cache, 1};
}

static bool load_elsewhere(void *context, uint64_t address, uint64_t *value) {
  struct iovec from = {(void *)address, 8}, to = {value, 8};
  return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 8;
}

struct unwind_memory own_memory(const ucontext_t *machine) {
  struct unwind_memory memory = {.load_elsewhere = load_elsewhere};
  uint64_t sp = (uint64_t)machine->uc_mcontext.gregs[REG_RSP];
  /* The kernel makes the stack larger downwards. */
  if (sp < stack_high && sp > stack_high - (64u << 20)) {
    memory.low = sp;
    memory.high = stack_high;
    memory.bytes = (const void *)sp;
  }
  return memory;
}

uint32_t own_walk(const struct unwind_space *space, const ucontext_t *machine, uint64_t *addresses,
                  uint32_t most, enum unwind_end *end) {
  struct unwind_memory memory = own_memory(machine);
  struct unwind_frame innermost;
  struct unwind_walk walk;
  uint32_t count;
  unwind_frame_from_context(&innermost, machine->uc_mcontext.gregs);
  unwind_walk_begin(&walk, &innermost);
  *end = unwind_walk(&walk, space, &memory, addresses, most, &count);
  return count;
}
