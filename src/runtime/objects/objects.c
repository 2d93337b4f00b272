#include "runtime/objects/objects.h"

#include "runtime/arch/processor.h"
#include "runtime/contexts/function_table.h"
#include "runtime/contexts/hosts.h"
#include "runtime/contexts/machine.h"
#include "runtime/contexts/rows.h"
#include "runtime/objects/images.h"
#include "runtime/registry/process_state.h"
#include "runtime/registry/storage.h"
#include "runtime/registry/system.h"
#include "runtime/registry/threads.h"

#include <elf.h>
#include <sys/uio.h>

#define KNOWN_MOST 4096
#define MAPS_FIRST (1u << 18)
#define MAPS_MOST (1u << 28) /* more than there can be lines (vm.max_map_count) */
#define HEAD_BYTES 4096      /* of an object: its segments' table and its notes */
#define WAIT_FIRST                                                                                 \
  (1ull << 21) /* cycles between two looks for what is in no object: a millisecond */
#define WAIT_MOST (1ull << 31)
#define YIELDS_MOST 1000 /* while another thread reads the list */

static struct {
  int busy;
  uint64_t next_look, wait; /* atomic; in cycles of the time-stamp counter */
  uint32_t unloads_seen;    /* atomic: of process_unloads, before the list was last read */
  uint32_t loads;           /* atomic: calls of dlopen */
  uint32_t loads_seen;      /* before the list was last read */
  uint32_t count;           /* atomic: ticks look at what is known without a lock */
  bool met_unknown;         /* atomic: some address was in no object when it was looked for */
  uint32_t last_hit;        /* atomic: where the last tick fell */
  uint32_t seen_mark;       /* of the last refresh */
  bool changed;             /* by the last refresh */
  bool code_changed;        /* by it: memory of no file that is executable */
  struct recorded_object *known[KNOWN_MOST];
  uint32_t seen[KNOWN_MOST];
  struct block_header *block;
  char *maps;
  uint64_t maps_bytes;
  uint64_t stack_top; /* of the main thread's */
  void (*gone)(uint64_t start, uint64_t end);
  _Alignas(8) char head[HEAD_BYTES];
} objects;

/* One line of /proc/self/maps, taken apart. */
struct mapping {
  uint64_t start, end, offset;
  bool readable, executable;
  const char *path;
  uint32_t path_length;
};

static const char *parse_hex(const char *at, uint64_t *value) {
  *value = 0;
  for (;; at++) {
    char c = *at;
    if (c >= '0' && c <= '9')
      *value = *value << 4 | (uint64_t)(c - '0');
    else if (c >= 'a' && c <= 'f')
      *value = *value << 4 | (uint64_t)(c - 'a' + 10);
    else
      return at;
  }
}

static const char *skip_field(const char *at, const char *end) {
  while (at < end && *at != ' ')
    at++;
  while (at < end && *at == ' ')
    at++;
  return at;
}

/* "start-end rwxp offset dev inode   path\n" */
static const char *parse_mapping(const char *line, const char *limit, struct mapping *mapping) {
  const char *end = line;
  while (end < limit && *end != '\n')
    end++;
  const char *at = parse_hex(line, &mapping->start) + 1;
  at = parse_hex(at, &mapping->end) + 1;
  mapping->readable = at[0] == 'r';
  mapping->executable = at[2] == 'x';
  at = skip_field(at, end);
  parse_hex(at, &mapping->offset);
  at = skip_field(skip_field(skip_field(at, end), end), end);
  mapping->path = at;
  mapping->path_length = (uint32_t)(end - at);
  return end < limit ? end + 1 : limit;
}

static bool same_text(const char *a, const char *b, uint32_t length) {
  for (uint32_t i = 0; i < length; i++)
    if (a[i] != b[i]) return false;
  return true;
}

static bool is_object(const struct recorded_object *object, const struct mapping *mapping) {
  return object->start == mapping->start && object->end == mapping->end &&
         object->offset == mapping->offset &&
         same_text(object->path, mapping->path, mapping->path_length) &&
         object->path[mapping->path_length] == 0;
}

static bool is_stack(const struct mapping *mapping) {
  static const char name[] = "[stack]";
  return mapping->path_length == sizeof name - 1 && same_text(mapping->path, name, sizeof name - 1);
}

/* The build-id note of an object whose first `size` bytes are at `head`. Everything is checked
 * against that size: the file may be anything. */
static void find_build_id(struct recorded_object *object, const char *head, uint64_t size) {
  const Elf64_Ehdr *elf = (const Elf64_Ehdr *)head;
  if (size < sizeof *elf || elf->e_ident[0] != 0x7f || elf->e_ident[1] != 'E' ||
      elf->e_ident[2] != 'L' || elf->e_ident[3] != 'F' || elf->e_ident[4] != ELFCLASS64)
    return;
  if (elf->e_phoff > size || elf->e_phnum > (size - elf->e_phoff) / sizeof(Elf64_Phdr)) return;
  const Elf64_Phdr *segments = (const Elf64_Phdr *)(head + elf->e_phoff);
  for (int i = 0; i < elf->e_phnum; i++) {
    uint64_t at = segments[i].p_offset, end = at + segments[i].p_filesz;
    if (segments[i].p_type != PT_NOTE || end > size || at > end) continue;
    while (at + sizeof(Elf64_Nhdr) <= end) {
      const Elf64_Nhdr *note = (const Elf64_Nhdr *)(head + at);
      uint64_t name = at + sizeof *note, text = name + (note->n_namesz + 3ull) / 4 * 4;
      uint64_t next = text + (note->n_descsz + 3ull) / 4 * 4;
      if (next > end) break;
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
          same_text(head + name, "GNU", 4) && note->n_descsz <= 20) {
        for (uint32_t k = 0; k < note->n_descsz; k++)
          object->build_id[k] = (uint8_t)head[text + k];
        object->build_id_bytes = note->n_descsz;
        return;
      }
      at = next;
    }
  }
}

/* Through the kernel: the memory may be past the end of its file, or gone by now. */
static void read_build_id(struct recorded_object *object, uint64_t start, uint64_t end) {
  struct iovec from = {(void *)start, end - start < HEAD_BYTES ? end - start : HEAD_BYTES};
  struct iovec to = {objects.head, HEAD_BYTES};
  long process = system_call3(SYS_getpid, 0, 0, 0);
  long bytes = system_call6(SYS_process_vm_readv, process, (long)&to, 1, (long)&from, 1, 0);
  if (!system_failed(bytes)) find_build_id(object, objects.head, (uint64_t)bytes);
}

/* Forget what was known by addresses that belong to another object from now on. */
static void forget(uint64_t start, uint64_t end) {
  function_table_forget(start, end);
  rows_forget_callees(start, end);
  for (struct thread_state *thread = threads_all(); thread; thread = thread->next) {
    machine_retire(thread, start, end);
    rows_retire(thread, start, end);
  }
}

/* The first change that a scan meets is a new epoch. */
static void note_change(void) {
  if (objects.changed) return;
  objects.changed = true;
  __atomic_fetch_add(&storage_header()->epoch, 1, __ATOMIC_RELEASE);
}

/* Room for another object, filled with zeros; null if there is none. It is not in the list until
 * know() is called. */
static struct recorded_object *new_object(uint64_t bytes) {
  struct block_header *block = objects.block;
  if (!block || block->used + bytes > block->bytes) {
    block = storage_claim(BLOCK_OBJECTS, bytes, 0);
    if (block) objects.block = block;
  }
  if (block && objects.count < KNOWN_MOST) return (void *)((char *)block + block->used);
  storage_count_drop(DROP_OBJECTS);
  return NULL;
}

static void know(struct recorded_object *object, uint64_t bytes) {
  note_change();
  object->loaded = storage_header()->epoch;
  object->bytes = (uint32_t)bytes;
  __atomic_store_n(&objects.block->used, objects.block->used + bytes, __ATOMIC_RELEASE);
  objects.seen[objects.count] = objects.seen_mark;
  objects.known[objects.count] = object;
  images_add(object);
  if (__atomic_load_n(&objects.met_unknown, __ATOMIC_RELAXED)) forget(object->start, object->end);
  /* Release pairs with the acquire in objects_see. */
  __atomic_store_n(&objects.count, objects.count + 1, __ATOMIC_RELEASE);
}

static void add(const struct mapping *mapping, const struct mapping *head) {
  uint64_t bytes = (sizeof(struct recorded_object) + mapping->path_length + 1 + 7) / 8 * 8;
  struct recorded_object *object = new_object(bytes);
  if (!object) return;
  object->start = mapping->start;
  object->end = mapping->end;
  object->offset = mapping->offset;
  for (uint32_t i = 0; i < mapping->path_length; i++)
    object->path[i] = mapping->path[i];
  if (head->path_length == mapping->path_length && head->readable &&
      same_text(head->path, mapping->path, head->path_length))
    read_build_id(object, head->start, head->end);
  know(object, bytes);
}

static void see_mapping(const struct mapping *mapping, const struct mapping *head) {
  for (uint32_t i = 0; i < objects.count; i++)
    if (!objects.known[i]->unloaded && is_object(objects.known[i], mapping)) {
      objects.seen[i] = objects.seen_mark;
      return;
    }
  add(mapping, head);
}

static void retire(struct recorded_object *object) {
  note_change();
  object->unloaded = storage_header()->epoch;
  images_remove(object);
  forget(object->start, object->end);
  hosts_unload(object->start, object->end);
}

static bool is_gone(uint32_t i) {
  return !objects.known[i]->unloaded && objects.seen[i] != objects.seen_mark;
}

/* What is no longer mapped goes before what is new comes: the new may lie at the old one's
 * addresses. */
static void scan(const char *maps, uint64_t length) {
  const char *end = maps + length;
  struct mapping head = {0}, mapping;
  objects.changed = false;
  objects.seen_mark++;
  images_begin_anonymous();
  for (int pass = 0; pass < 2; pass++) {
    for (const char *line = maps; line < end;) {
      line = parse_mapping(line, end, &mapping);
      if (!mapping.path_length) {
        if (pass && mapping.executable) images_add_anonymous(mapping.start, mapping.end);
        continue;
      }
      if (mapping.offset == 0) head = mapping;
      if (is_stack(&mapping)) objects.stack_top = mapping.end;
      if (!mapping.executable) continue;
      if (pass) {
        see_mapping(&mapping, &head);
        continue;
      }
      for (uint32_t i = 0; i < objects.count; i++)
        if (!objects.known[i]->unloaded && is_object(objects.known[i], &mapping))
          objects.seen[i] = objects.seen_mark;
    }
    if (pass) break;
    for (uint32_t i = 0; i < objects.count; i++)
      if (is_gone(i) && objects.gone) objects.gone(objects.known[i]->start, objects.known[i]->end);
    for (uint32_t i = 0; i < objects.count; i++)
      if (is_gone(i)) retire(objects.known[i]);
  }
  objects.code_changed = images_end_anonymous();
}

static bool maps_enlarge(void) {
  uint64_t bytes = objects.maps ? objects.maps_bytes * 4 : MAPS_FIRST;
  char *maps = bytes <= MAPS_MOST ? system_memory(bytes) : NULL;
  if (!maps) return false;
  if (objects.maps) system_call3(SYS_munmap, (long)objects.maps, (long)objects.maps_bytes, 0);
  objects.maps = maps;
  objects.maps_bytes = bytes;
  return true;
}

/* The whole list, or nothing: what is missing in it counts as unloaded. */
static uint64_t read_maps(void) {
  if (!objects.maps && !maps_enlarge()) return 0;
  for (;;) {
    uint64_t length = system_read_file("/proc/self/maps", objects.maps, objects.maps_bytes);
    if (length < objects.maps_bytes) return length;
    if (!maps_enlarge()) return 0;
  }
}

/* All signals are blocked, so that no handler waits for what it interrupted, or jumps out of it.
 * `yields`: how long to wait for another thread that is at it. */
static void refresh(uint32_t yields) {
  uint64_t signals;
  system_block_signals(&signals);
  bool taken;
  while ((taken = __atomic_exchange_n(&objects.busy, 1, __ATOMIC_ACQUIRE)) && yields--)
    system_call3(SYS_sched_yield, 0, 0, 0);
  if (!taken) {
    uint32_t unloads = process_unloads();
    uint32_t loads = __atomic_load_n(&objects.loads, __ATOMIC_RELAXED);
    uint64_t length = read_maps();
    if (length)
      scan(objects.maps, length);
    else
      storage_note_lack(HINDRANCE_NO_MAPS);
    objects.loads_seen = loads;
    __atomic_store_n(&objects.unloads_seen, unloads, __ATOMIC_RELEASE);
    __atomic_store_n(&objects.busy, 0, __ATOMIC_RELEASE);
  }
  system_unblock_signals(&signals);
}

void objects_when_gone(void (*gone)(uint64_t start, uint64_t end)) {
  objects.gone = gone;
}

void objects_refresh(void) {
  refresh(UINT32_MAX);
}

uint64_t objects_stack_top(void) {
  return objects.stack_top;
}

static bool is_in(const struct recorded_object *object, uint64_t pc) {
  return pc >= object->start && pc < object->end && !object->unloaded;
}

const struct recorded_object *objects_at(uint64_t pc) {
  uint32_t count = __atomic_load_n(&objects.count, __ATOMIC_ACQUIRE);
  uint32_t last = __atomic_load_n(&objects.last_hit, __ATOMIC_RELAXED);
  if (last < count && is_in(objects.known[last], pc)) return objects.known[last];
  for (uint32_t i = 0; i < count; i++)
    if (is_in(objects.known[i], pc)) {
      __atomic_store_n(&objects.last_hit, i, __ATOMIC_RELAXED);
      return objects.known[i];
    }
  return NULL;
}

static void look_at_once(void) {
  __atomic_store_n(&objects.wait, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&objects.next_look, 0, __ATOMIC_RELAXED);
}

/* Look for what is in no known object: at once, also after an object was found, for a loader brings
 * several; then after longer and longer waits while nothing new is. */
static void look_again(void) {
  uint64_t now = time_stamp();
  if (now < __atomic_load_n(&objects.next_look, __ATOMIC_RELAXED)) return;
  uint64_t wait = __atomic_load_n(&objects.wait, __ATOMIC_RELAXED);
  refresh(0);
  if (objects.changed) {
    look_at_once();
    return;
  }
  wait = objects.code_changed || wait < WAIT_FIRST ? WAIT_FIRST
         : wait < WAIT_MOST                        ? wait * 2
                                                   : wait;
  __atomic_store_n(&objects.wait, wait, __ATOMIC_RELAXED);
  __atomic_store_n(&objects.next_look, time_stamp() + wait, __ATOMIC_RELAXED);
}

uint32_t objects_see(uint64_t pc) {
  if (process_unloads() != __atomic_load_n(&objects.unloads_seen, __ATOMIC_ACQUIRE))
    refresh(YIELDS_MOST);
  const struct recorded_object *object = objects_at(pc);
  if (!object) {
    look_again();
    object = objects_at(pc);
  }
  if (!object) __atomic_store_n(&objects.met_unknown, true, __ATOMIC_RELAXED);
  return object ? (uint32_t)object->loaded : 0;
}

void objects_expect_load(void) {
  __atomic_fetch_add(&objects.loads, 1, __ATOMIC_RELAXED);
  look_at_once();
}

/* A child of fork has the objects that its parent had when it looked last. What the parent's
 * recording says of them the parent may have changed since. */
static void inherit(uint32_t count) {
  objects.changed = false;
  for (uint32_t i = 0; i < count; i++) {
    const struct recorded_object *parents = objects.known[i];
    bool was_there = objects.seen[i] == objects.seen_mark;
    struct recorded_object *own = was_there ? new_object(parents->bytes) : NULL;
    if (!own) continue;
    for (uint64_t word = 0; word < parents->bytes / 8; word++)
      ((uint64_t *)own)[word] = ((const uint64_t *)parents)[word];
    own->unloaded = 0;
    know(own, parents->bytes);
  }
}

/* Unless another thread of the parent was looking just then, or libraries came or went since: then
 * they are looked for. */
void objects_start_child(void) {
  uint32_t count = objects.count;
  bool whole = count && !objects.busy && process_unloads() == objects.unloads_seen &&
               objects.loads == objects.loads_seen;
  objects.busy = 0;
  objects.block = NULL;
  objects.count = 0;
  look_at_once();
  if (whole)
    inherit(count);
  else
    objects_refresh();
}
