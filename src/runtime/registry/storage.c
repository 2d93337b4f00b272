#include "runtime/registry/storage.h"

#include "recording/network.h"
#include "runtime/registry/system.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <time.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

#define PAGE 4096u
#define CAPACITY_MOST (4ull << 30)
#define ROWS_SHARE 4 /* rows have this part of it */
#define CAPACITY_LEAST (1ull << 20)
#define GENERATIONS 16
#define PATH_BYTES (STORAGE_PATH_BYTES + 64)
#define SHARE_OF_SPACE 8 /* at most this part of a limited address space */
/* With less the program would feel what we take. */
#define SPACE_LEAST ((uint64_t)SPACE_LEAST_MIB << 20)
#define LEFT_LEAST (16ull << 20)
#define ROOM_AT_START (8 * RECORDING_UNIT) /* a process that ticks has claimed as much at once */
#define AHEAD 65536u /* bytes that may be touched beyond a claimed block: see open_block */

/* The mapping of a process this one descends from by fork; its contexts are read through it. */
struct generation {
  uint32_t context_base;
  char *map;
  uint64_t mapped; /* bytes of it */
};

static struct {
  struct recording_header *header;
  uint64_t mapped; /* bytes of it, without the rows */
  char *rows;      /* where they are mapped, for as long as the process lives; null: not yet */
  uint64_t rows_mapped;
  uint64_t rows_open; /* atomic: bytes of them from the start on that may be touched */
  uint32_t sequence;
  uint64_t reserved;                    /* atomic: bytes of blocks that are holes */
  uint64_t open_to;                     /* blocks before it are open: see storage_make_room */
  uint64_t ahead;                       /* atomic: from which page << 32 to which: see open_block */
  struct generation older[GENERATIONS]; /* newest last */
  int older_count;
  char directory[STORAGE_PATH_BYTES];
} storage;

struct recording_header *storage_header(void) {
  return storage.header;
}
static char *append_text(char *at, const char *end, const char *text) {
  while (*text && at < end)
    *at++ = *text++;
  return at;
}

static char *append_number(char *at, const char *end, uint32_t number) {
  char digits[11];
  int n = 0;
  do
    digits[n++] = (char)('0' + number % 10);
  while (number /= 10);
  while (n && at < end)
    *at++ = digits[--n];
  return at;
}

/* An absolute path, so that a later chdir changes nothing. */
static int set_directory(const char *directory) {
  char *at = storage.directory, *end = storage.directory + sizeof storage.directory - 1;
  if (directory[0] != '/') {
    long length = system_call3(SYS_getcwd, (long)at, end - at, 0);
    if (system_failed(length)) return (int)length;
    at += length - 1;
    at = append_text(at, end, "/");
  }
  at = append_text(at, end, directory);
  *at = 0;
  return at == end ? -ENAMETOOLONG : 0;
}

/* Others could cut a file short that this process has mapped, and so end it with SIGBUS. */
bool storage_is_private(long descriptor) {
  struct stat status;
  if (system_failed(system_call3(SYS_fstat, descriptor, (long)&status, 0))) return false;
  return status.st_uid == (uid_t)system_call3(SYS_geteuid, 0, 0, 0) &&
         !(status.st_mode & (S_IWGRP | S_IWOTH));
}

int storage_open_directory(void) {
  struct statfs info;
  int directory = (int)system_call4(SYS_openat, AT_FDCWD, (long)storage.directory,
                                    O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW, 0);
  if (directory < 0) return directory;
  int status = 0;
  if (!storage_is_private(directory)) status = -EPERM;
  if (!system_failed(system_call3(SYS_fstatfs, directory, (long)&info, 0)) &&
      is_network_file_system((unsigned long)info.f_type))
    status = -EREMOTE;
  if (!status) return directory;
  system_call3(SYS_close, directory, 0, 0);
  return status;
}

/* The path that an open file has now, without links; or "". */
static char *place_of(int descriptor, char place[PATH_BYTES]) {
  char link[32];
  *append_number(append_text(link, link + sizeof link - 1, "/proc/self/fd/"),
                 link + sizeof link - 1, (uint32_t)descriptor) = 0;
  long length = system_call3(SYS_readlink, (long)link, (long)place, PATH_BYTES - 1);
  char *end = place + (system_failed(length) ? 0 : length);
  *end = 0;
  return end;
}

/* Open PID.N.recording with the first N that is free: `file` is where that begins in `path`. */
static int open_file(int directory, char path[PATH_BYTES], char *file, uint32_t pid) {
  const char *end = path + PATH_BYTES - 1;
  for (storage.sequence = 0; storage.sequence < 100000; storage.sequence++) {
    char *at = append_text(append_number(file, end, pid), end, ".");
    at = append_number(at, end, storage.sequence);
    *append_text(at, end, RECORDING_SUFFIX) = 0;
    long opened = system_call4(SYS_openat, directory, (long)path,
                               O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (opened != -EEXIST) return (int)opened;
  }
  return -EEXIST;
}

/* There is room for one descriptor only: the directory is closed, and the file made by its whole
 * path. Others may have changed what that leads to, so the file must be there afterwards. */
static int open_alone(int *directory, char path[PATH_BYTES], uint32_t pid) {
  static char place[PATH_BYTES];
  char *end = place_of(*directory, path);
  if (end == path) return -EMFILE;
  system_call3(SYS_close, *directory, 0, 0);
  *directory = AT_FDCWD;
  int opened = open_file(AT_FDCWD, path, append_text(end, path + PATH_BYTES - 1, "/"), pid);
  if (opened < 0) return opened;
  place_of(opened, place);
  for (uint32_t i = 0; path[i] == place[i]; i++)
    if (!path[i]) return opened;
  system_call3(SYS_close, opened, 0, 0);
  return -EPERM;
}

static uint64_t limit_of(int resource) {
  struct rlimit limit;
  if (system_failed(system_call3(SYS_getrlimit, resource, (long)&limit, 0))) return UINT64_MAX;
  return limit.rlim_cur;
}

uint64_t storage_share_of_space(void) {
  return limit_of(RLIMIT_AS) / SHARE_OF_SPACE;
}

bool storage_has_space(void) {
  return limit_of(RLIMIT_AS) >= SPACE_LEAST;
}

/* `ulimit -f` bounds the file: going over it would be a signal. Of the address space that
 * `ulimit -v` grants, most is left to the program. */
static uint64_t allowed_capacity(void) {
  uint64_t capacity = CAPACITY_MOST;
  uint64_t file = limit_of(RLIMIT_FSIZE), space = storage_share_of_space();
  if (file < capacity) capacity = file;
  if (!storage_has_space()) space = CAPACITY_LEAST;
  if (space < capacity) capacity = space;
  return capacity / RECORDING_UNIT * RECORDING_UNIT;
}

/* Unclaimed room is mapped without access, because mlockall would otherwise fill all of it. */
static bool open_range(uint64_t address, uint64_t bytes) {
  return !system_failed(
      system_call3(SYS_mprotect, (long)address, (long)bytes, PROT_READ | PROT_WRITE));
}

static bool populate(void *address, uint64_t bytes) {
  long result = system_call3(SYS_madvise, (long)address, (long)bytes, MADV_POPULATE_WRITE);
  return result == 0 || result == -EINVAL; /* before Linux 5.14: the pages come when touched */
}

void storage_note_lack(enum hindrance why) {
  __atomic_fetch_or(&storage.header->hindrances, why, __ATOMIC_RELAXED);
}

static bool populate_or_tell(uint64_t start, uint64_t bytes) {
  if (populate((void *)start, bytes)) return true;
  storage_note_lack(HINDRANCE_DISK_FULL);
  return false;
}

/* Giving access is a system call, so room beyond the block is opened with it, for the blocks that
 * follow. Room that is not claimed has no pages yet. */
static bool open_block(uint64_t offset, uint64_t bytes) {
  uint64_t ahead = __atomic_load_n(&storage.ahead, __ATOMIC_RELAXED);
  uint64_t start = (uint64_t)storage.header + offset, end = offset + bytes + AHEAD;
  if (offset < (ahead >> 32) * PAGE || offset + bytes > (uint32_t)ahead * (uint64_t)PAGE) {
    if (end > storage.header->capacity) end = storage.header->capacity;
    if (!open_range(start, end - offset)) return false;
    __atomic_store_n(&storage.ahead, offset / PAGE << 32 | end / PAGE, __ATOMIC_RELAXED);
  }
  return populate_or_tell(start, bytes);
}

/* The file is full. If a limit made it shorter than usual, the report says so. */
static void note_end(void) {
  if (storage.header->capacity < CAPACITY_MOST / RECORDING_UNIT * RECORDING_UNIT)
    storage_note_lack(HINDRANCE_LIMITED);
}

/* Opens and populates the blocks that a process claims at its start, or only the header if the disk
 * is too full for them. Returns how many bytes; 0: none. */
static uint64_t open_first(uint64_t map) {
  static const uint64_t sizes[] = {ROOM_AT_START, RECORDING_UNIT};
  for (int i = 0; i < 2; i++)
    if (open_range(map, sizes[i]) && populate((void *)map, sizes[i])) return sizes[i];
  return 0;
}

static bool map_rows(int file, uint64_t offset, uint64_t capacity) {
  bool again = storage.rows;
  if (again) capacity = storage.rows_mapped;
  long map = system_call6(SYS_mmap, (long)storage.rows, (long)capacity, PROT_NONE,
                          MAP_SHARED | MAP_NORESERVE | (again ? MAP_FIXED : 0), file, (long)offset);
  if (system_failed(map)) return false;
  system_call3(SYS_madvise, map, (long)capacity, MADV_DONTDUMP);
  storage.rows = (char *)map;
  storage.rows_mapped = capacity;
  storage.rows_open = 0;
  struct recording_header *header = storage.header;
  header->rows_offset = offset;
  header->rows_capacity = capacity;
  header->rows_next = again ? 0 : RECORDING_UNIT; /* no row has the first id */
  header->rows_address = (uint64_t)map;
  return true;
}

static int map_file(int file) {
  uint64_t most = allowed_capacity();
  for (; most >= CAPACITY_LEAST; most = most / 4 / RECORDING_UNIT * RECORDING_UNIT) {
    uint64_t rows =
        storage.rows ? storage.rows_mapped : most / ROWS_SHARE / RECORDING_UNIT * RECORDING_UNIT;
    if (rows >= most) continue;
    uint64_t capacity = most - rows;
    if (system_failed(system_call3(SYS_ftruncate, file, (long)most, 0))) continue;
    long map =
        system_call6(SYS_mmap, 0, (long)capacity, PROT_NONE, MAP_SHARED | MAP_NORESERVE, file, 0);
    if (system_failed(map)) continue;
    struct recording_header *before = storage.header;
    storage.header = (struct recording_header *)map;
    uint64_t opened = open_first((uint64_t)map);
    if (!opened || !map_rows(file, capacity, rows)) {
      system_call3(SYS_munmap, map, (long)capacity, 0);
      storage.header = before;
      return -ENOSPC;
    }
    system_call3(SYS_madvise, map, (long)capacity, MADV_DONTDUMP);
    storage.header->capacity = storage.mapped = capacity;
    storage.open_to = opened;
    return 0;
  }
  return -EFBIG;
}

/* On failure no file is left behind. */
static int make_file(uint32_t pid) {
  static char path[PATH_BYTES]; /* stacks of coroutines are small */
  int directory = storage_open_directory();
  if (directory < 0) return directory;
  int file = open_file(directory, path, path, pid);
  if (file == -EMFILE) file = open_alone(&directory, path, pid);
  int status = file < 0 ? file : map_file(file);
  if (file >= 0) system_call3(SYS_close, file, 0, 0);
  if (file >= 0 && status) system_call3(SYS_unlinkat, directory, (long)path, 0);
  if (directory >= 0) system_call3(SYS_close, directory, 0, 0);
  return status;
}

static int create_file(void) {
  uint32_t pid = (uint32_t)system_call3(SYS_getpid, 0, 0, 0);
  int status = make_file(pid);
  if (status) return status;
  struct recording_header *header = storage.header;
  header->version = RECORDING_VERSION;
  header->header_bytes = sizeof *header;
  header->next = RECORDING_UNIT;
  header->pid = pid;
  header->parent_pid = (uint32_t)system_call3(SYS_getppid, 0, 0, 0);
  header->started_ns = header->updated_ns = system_clock(CLOCK_REALTIME);
  /* Last: a reader that sees the magic sees the rest. */
  __atomic_store_n(&header->magic, RECORDING_MAGIC, __ATOMIC_RELEASE);
  return 0;
}

int storage_create(const char *directory, bool make) {
  int status = set_directory(directory);
  if (status) return status;
  long made = make ? system_call3(SYS_mkdir, (long)storage.directory, 0700, 0) : -EEXIST;
  if (system_failed(made) && made != -EEXIST) return (int)made;
  status = create_file();
  if (status && !system_failed(made))
    system_call3(SYS_rmdir, (long)storage.directory, 0, 0); /* if it is empty */
  return status;
}

/* Where the rows of the parent are now, out of the way: moved or, if they are in several mappings,
 * copied. Null: no memory. */
static char *rows_set_aside(uint64_t bytes) {
  long place = system_call6(SYS_mmap, 0, (long)bytes, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (system_failed(place)) return NULL;
  long moved = -ENOSYS;
  if (!system_forbids(SYS_mremap))
    moved = system_call6(SYS_mremap, (long)storage.rows, (long)bytes, (long)bytes,
                         MREMAP_MAYMOVE | MREMAP_FIXED, place, 0);
  if (!system_failed(moved)) return (char *)moved;
  if (!open_range((uint64_t)place, bytes)) return NULL;
  for (uint64_t i = 0; i < bytes / 8; i++)
    ((uint64_t *)place)[i] = ((const uint64_t *)storage.rows)[i];
  return (char *)place;
}

/* Of a row its own header, and its size: what it counted is its parent's, and which rows follow is
 * found again. */
static void copy_row(char *to, const char *from, uint64_t bytes) {
  const struct ascribe_row_start *start = (const void *)from;
  uint64_t header = ascribe_row_below(ascribe_row_leaves(start));
  if (header + sizeof(struct ascribe_row) > bytes) return;
  *(struct ascribe_row *)(to + header) = *(const struct ascribe_row *)(from + header);
  *(struct ascribe_row_start *)to =
      (struct ascribe_row_start){start->bytes, ascribe_row_leaves(start)};
}

/* Of counters of points which points they are of. */
static void copy_points(char *to, const char *from, uint64_t bytes) {
  const struct recorded_points *points = (const void *)from;
  struct recorded_points *own = (void *)to;
  own->bytes = (uint32_t)bytes;
  if ((bytes - sizeof *own) / 16 < points->count) return;
  for (uint64_t i = points->count; i < 2ull * points->count; i++)
    own->counts[i] = points->counts[i];
  own->count = points->count;
}

/* The parent goes on meanwhile, and may add rows. */
static void copy_rows(struct block_header *to, const struct block_header *from) {
  *to = *from;
  to->pauses = 0;
  to->thread = 0; /* the thread that forked is the child's first */
  uint64_t at = sizeof *from + ASCRIBE_ROW_FIRST, end = to->used;
  while (at + sizeof(struct ascribe_row_start) <= end) {
    uint32_t bytes = *(const volatile uint32_t *)((const char *)from + at);
    if (!bytes || bytes > end - at) break;
    (from->kind == BLOCK_POINTS ? copy_points : copy_row)((char *)to + at, (const char *)from + at,
                                                          bytes);
    at += bytes;
  }
}

/* One that ends beyond was claimed by the parent since the fork. */
static const struct block_header *next_of(const char *rows, uint64_t end, uint64_t at) {
  for (; at + sizeof(struct block_header) <= end; at += RECORDING_UNIT) {
    const struct block_header *block = (const void *)(rows + at);
    if (block->magic == RECORDING_BLOCK_MAGIC && block->bytes)
      return block->bytes <= end - at ? block : NULL;
  }
  return NULL;
}

/* The number of the thread in whose blocks the row is. */
static uint32_t thread_of(const char *rows, uint64_t end, uint64_t row) {
  const struct block_header *block = NULL;
  for (uint64_t at = 0; (block = next_of(rows, end, at));
       at = (uint64_t)((const char *)block - rows) + block->bytes)
    if (row - (uint64_t)((const char *)block - rows) < block->bytes) return block->thread;
  return UINT32_MAX;
}

/* The child's rows are those of its thread, at their places, as code that is under way knows them;
 * and all counters of points: a host may share them between threads. */
static bool inherit_rows(const char *parents, uint64_t end, uint64_t running) {
  uint32_t thread = thread_of(parents, end, running);
  const struct block_header *block;
  for (uint64_t at = 0; (block = next_of(parents, end, at)); at += block->bytes) {
    at = (uint64_t)((const char *)block - parents);
    if (block->thread != thread && block->kind != BLOCK_POINTS) continue;
    char *own = storage.rows + at;
    if (!open_range((uint64_t)own, block->bytes) || !populate_or_tell((uint64_t)own, block->bytes))
      return false;
    copy_rows((struct block_header *)own, block);
  }
  return true;
}

/* Memory in place of rows that no file has. Without `parents` there is none for them: what code
 * that is under way counts goes to the parent. */
static void rows_give_up(const char *parents, uint64_t end, uint64_t running) {
  if (!parents) return;
  long map =
      system_call6(SYS_mmap, (long)storage.rows, (long)storage.rows_mapped, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  if (!system_failed(map)) inherit_rows(parents, end, running);
}

static int create_child_file(const struct recording_header *parent, uint64_t base) {
  uint32_t sequence = storage.sequence, parent_pid = parent->pid;
  int status = create_file();
  if (status == -ENOSPC) storage_note_lack(HINDRANCE_DISK_FULL);
  if (status == -EFBIG || status == -EMFILE) storage_note_lack(HINDRANCE_LIMITED);
  if (status) return status;
  storage.reserved = storage.ahead = 0;
  storage.header->context_base = (uint32_t)base;
  storage.header->parent_pid = parent_pid;
  storage.header->parent_sequence = sequence;
  storage.header->is_fork = 1;
  return 0;
}

int storage_create_child(const struct ascribe_row *running) {
  struct recording_header *parent = storage.header;
  struct generation older = {parent->context_base, (char *)parent, storage.mapped};
  /* Whatever the parent has claimed by now is at or above every id this child inherited. */
  uint64_t claimed = __atomic_load_n(&parent->next, __ATOMIC_RELAXED);
  if (claimed > parent->capacity) claimed = parent->capacity;
  uint64_t base = parent->context_base + claimed / CONTEXT_UNIT;
  uint64_t rows_next = __atomic_load_n(&parent->rows_next, __ATOMIC_RELAXED);
  uint64_t rows_end = __atomic_load_n(&storage.rows_open, __ATOMIC_RELAXED);
  uint64_t place = (uint64_t)running - (uint64_t)storage.rows;
  char *rows = rows_end ? rows_set_aside(rows_end) : NULL;
  int status = 0;
  if (storage.older_count == GENERATIONS)
    status = -EMLINK;
  else if (base + CAPACITY_MOST / CONTEXT_UNIT > ROW_IDS)
    status = -EOVERFLOW;
  else if (rows_end && !rows)
    status = -ENOMEM;
  else
    status = create_child_file(parent, base);
  if (!status) {
    storage.older[storage.older_count++] = older;
    storage.header->rows_next = rows_next;
    storage.rows_open = 0;
    if (rows && !inherit_rows(rows, rows_end, place)) status = -ENOSPC;
  }
  if (status) rows_give_up(rows, rows_end, place);
  if (rows) system_call3(SYS_munmap, (long)rows, (long)rows_end, 0);
  return status;
}

void storage_give_up_child(const struct ascribe_row *running) {
  if (system_forbids(SYS_mmap) || system_forbids(SYS_mprotect) || system_forbids(SYS_munmap))
    return;
  uint64_t end = __atomic_load_n(&storage.rows_open, __ATOMIC_RELAXED);
  char *rows = end ? rows_set_aside(end) : NULL;
  rows_give_up(rows, end, (uint64_t)running - (uint64_t)storage.rows);
  if (rows) system_call3(SYS_munmap, (long)rows, (long)end, 0);
}

/* A block of which the first `filled` bytes are there; its header tells of it by its magic, last.
 */
static struct block_header *claim(enum block_kind kind, uint64_t bytes, uint64_t filled,
                                  uint32_t thread) {
  struct recording_header *header = storage.header;
  uint64_t next = __atomic_load_n(&header->next, __ATOMIC_RELAXED);
  if (next + bytes > header->capacity) {
    note_end();
    return NULL;
  }
  if (next + bytes > storage.open_to && system_forbids(SYS_mprotect)) return NULL;
  uint64_t offset = __atomic_fetch_add(&header->next, bytes, __ATOMIC_RELAXED);
  if (offset + bytes > header->capacity) return NULL;
  struct block_header *block = (struct block_header *)((char *)header + offset);
  bool is_open = offset + bytes <= storage.open_to;
  if (!is_open && !open_block(offset, filled)) return NULL;
  block->kind = kind;
  block->bytes = bytes;
  block->used = sizeof *block;
  block->thread = thread;
  __atomic_store_n(&block->magic, RECORDING_BLOCK_MAGIC, __ATOMIC_RELEASE);
  return block;
}

/* All that is open lies before all that is not: a forked child moves it as one. */
static bool open_rows(uint64_t end) {
  if (end <= __atomic_load_n(&storage.rows_open, __ATOMIC_RELAXED)) return true;
  end += AHEAD;
  if (end > storage.rows_mapped) end = storage.rows_mapped;
  if (!open_range((uint64_t)storage.rows, end)) return false;
  uint64_t before = __atomic_load_n(&storage.rows_open, __ATOMIC_RELAXED);
  while (before < end && !__atomic_compare_exchange_n(&storage.rows_open, &before, end, false,
                                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
  return true;
}

static uint64_t whole_units(uint64_t bytes) {
  return (bytes + RECORDING_UNIT - 1) / RECORDING_UNIT * RECORDING_UNIT;
}

struct block_header *storage_claim_rows(enum block_kind kind, uint64_t bytes, uint32_t thread) {
  struct recording_header *header = storage.header;
  bytes = whole_units(bytes + sizeof(struct block_header));
  uint64_t next = __atomic_load_n(&header->rows_next, __ATOMIC_RELAXED);
  if (next + bytes > storage.rows_mapped) {
    note_end();
    return NULL;
  }
  if (next + bytes > storage.rows_open && system_forbids(SYS_mprotect)) return NULL;
  uint64_t offset = __atomic_fetch_add(&header->rows_next, bytes, __ATOMIC_RELAXED);
  if (offset + bytes > storage.rows_mapped || !open_rows(offset + bytes)) return NULL;
  struct block_header *block = (struct block_header *)(storage.rows + offset);
  if (!populate_or_tell((uint64_t)block, bytes)) return NULL;
  block->kind = kind;
  block->bytes = bytes;
  block->used = sizeof *block + ASCRIBE_ROW_FIRST;
  block->thread = thread;
  __atomic_store_n(&block->magic, RECORDING_BLOCK_MAGIC, __ATOMIC_RELEASE);
  return block;
}

/* Setting its size is what takes the space: `used` follows, moved on by whoever comes next should
 * the one who took it never do so. */
void *storage_claim_record(struct block_header *block, uint64_t bytes) {
  for (;;) {
    uint64_t at = __atomic_load_n(&block->used, __ATOMIC_RELAXED);
    if (at + bytes > block->bytes) return NULL;
    uint32_t *record = (void *)((char *)block + at), taken = 0;
    bool ours = __atomic_compare_exchange_n(record, &taken, (uint32_t)bytes, false,
                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    __atomic_compare_exchange_n(&block->used, &at, at + (ours ? bytes : taken), false,
                                __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    if (ours) return record;
  }
}

bool storage_append(struct block_header **last, enum block_kind kind, uint32_t thread,
                    const void *row, uint64_t bytes) {
  struct block_header *block = *last;
  if (!block || block->used + bytes > block->bytes) {
    block = storage_claim(kind, RECORDING_UNIT - sizeof *block, thread);
    if (!block) return false;
    *last = block;
  }
  uint64_t *to = (void *)((char *)block + block->used);
  for (uint64_t i = 0; i < bytes / sizeof *to; i++)
    to[i] = ((const uint64_t *)row)[i];
  __atomic_store_n(&block->used, block->used + bytes, __ATOMIC_RELEASE);
  return true;
}

bool storage_is_row(uint64_t address) {
  return address - (uint64_t)storage.rows < storage.rows_mapped;
}

uint32_t storage_row_id(const struct ascribe_row *row) {
  return ROW_IDS + (uint32_t)(((uint64_t)row - (uint64_t)storage.rows) / CONTEXT_UNIT);
}

struct ascribe_row *storage_row(uint32_t id) {
  return (struct ascribe_row *)(storage.rows + (uint64_t)(id - ROW_IDS) * CONTEXT_UNIT);
}

struct block_header *storage_next_rows(const struct block_header *block) {
  uint64_t at = block ? (uint64_t)((const char *)block - storage.rows) + block->bytes : 0;
  uint64_t end = __atomic_load_n(&storage.rows_open, __ATOMIC_RELAXED);
  return storage.rows ? (struct block_header *)next_of(storage.rows, end, at) : NULL;
}

struct block_header *storage_claim(enum block_kind kind, uint64_t bytes, uint32_t thread) {
  bytes = whole_units(bytes + sizeof(struct block_header));
  return claim(kind, bytes, bytes, thread);
}

struct block_header *storage_reserve(enum block_kind kind, uint64_t bytes) {
  uint64_t room = storage.header->capacity / 2;
  bytes = whole_units(bytes);
  uint64_t before = __atomic_fetch_add(&storage.reserved, bytes, __ATOMIC_RELAXED);
  if (before + bytes > room) {
    __atomic_fetch_sub(&storage.reserved, bytes, __ATOMIC_RELAXED);
    note_end();
    return NULL;
  }
  struct block_header *block = claim(kind, bytes, RECORDING_UNIT, 0);
  if (block) block->used = bytes;
  return block;
}

static void unmap_after(char *map, uint64_t *mapped, uint64_t kept) {
  kept = whole_units(kept);
  if (kept >= *mapped) return;
  system_call3(SYS_munmap, (long)(map + kept), (long)(*mapped - kept), 0);
  *mapped = kept;
}

/* A block that another thread claims just now lies within LEFT_LEAST of the last one. */
void storage_leave_space(uint64_t space) {
  struct recording_header *header = storage.header;
  if (!header) return;
  uint64_t next = __atomic_load_n(&header->next, __ATOMIC_RELAXED), most = space / SHARE_OF_SPACE;
  uint64_t kept = next + LEFT_LEAST > most ? next + LEFT_LEAST : most;
  if (kept >= header->capacity) return;
  header->capacity = kept / RECORDING_UNIT * RECORDING_UNIT;
  unmap_after((char *)header, &storage.mapped, kept);
  uint64_t rows = __atomic_load_n(&header->rows_next, __ATOMIC_RELAXED) + LEFT_LEAST;
  unmap_after(storage.rows, &storage.rows_mapped,
              rows > most / ROWS_SHARE ? rows : most / ROWS_SHARE);
  for (int i = 0; i < storage.older_count; i++) {
    struct generation *older = &storage.older[i];
    uint32_t end = i + 1 < storage.older_count ? older[1].context_base : header->context_base;
    unmap_after(older->map, &older->mapped, (uint64_t)(end - older->context_base) * CONTEXT_UNIT);
  }
}

void storage_make_room(uint64_t bytes) {
  const struct recording_header *header = storage.header;
  uint64_t from = __atomic_load_n(&header->next, __ATOMIC_RELAXED);
  if (from >= header->capacity) return;
  if (bytes > header->capacity - from) bytes = header->capacity - from;
  uint64_t start = (uint64_t)header + from;
  if (open_range(start, bytes) && populate((void *)start, bytes)) storage.open_to = from + bytes;
}

bool storage_fill(void *address, uint64_t bytes) {
  uint64_t start = (uint64_t)address / PAGE * PAGE;
  uint64_t end = ((uint64_t)address + bytes + PAGE - 1) / PAGE * PAGE;
  return open_range(start, end - start) && populate_or_tell(start, end - start);
}

const struct recorded_context *storage_context(uint32_t id) {
  uint32_t base = storage.header->context_base;
  if (id >= base) return (void *)((char *)storage.header + (uint64_t)(id - base) * CONTEXT_UNIT);
  for (int i = storage.older_count - 1; i >= 0; i--)
    if (id >= storage.older[i].context_base)
      return (void *)(storage.older[i].map +
                      (uint64_t)(id - storage.older[i].context_base) * CONTEXT_UNIT);
  return NULL;
}

/* The bytes that were claimed behind a context's place when its process last claimed any. */
static uint64_t claimed_behind(uint32_t id) {
  uint32_t base = storage.header->context_base, end;
  uint64_t offset = (uint64_t)(id - base) * CONTEXT_UNIT;
  uint64_t claimed = __atomic_load_n(&storage.header->next, __ATOMIC_RELAXED);
  for (int i = storage.older_count - 1; i >= 0 && id < base; i--) {
    end = base;
    base = storage.older[i].context_base;
    offset = (uint64_t)(id - base) * CONTEXT_UNIT;
    claimed = (uint64_t)(end - base) * CONTEXT_UNIT;
  }
  bool inside = id >= base && offset >= RECORDING_UNIT && offset < claimed;
  return inside ? claimed - offset : 0;
}

bool storage_may_be_context(uint32_t id) {
  uint64_t left = id < ROW_IDS ? claimed_behind(id) : 0;
  const struct recorded_context *context = left ? storage_context(id) : NULL;
  if (left < sizeof *context || !(context->flags & CONTEXT_READY)) return false;
  uint64_t bytes = sizeof *context + 4ull * context->length;
  return bytes <= context->bytes && context->bytes <= left;
}

uint32_t storage_context_id(const struct recorded_context *context) {
  uint64_t offset = (uint64_t)context - (uint64_t)storage.header;
  uint32_t base = storage.header->context_base;
  /* A slow path that a handler interrupted, which forked, goes on in the child with a record of
   * the parent's. */
  for (int i = storage.older_count - 1; i >= 0 && offset >= storage.header->capacity; i--) {
    const struct recording_header *older = (const void *)storage.older[i].map;
    if ((uint64_t)context - (uint64_t)older >= older->capacity) continue;
    offset = (uint64_t)context - (uint64_t)older;
    base = storage.older[i].context_base;
    break;
  }
  return base + (uint32_t)(offset / CONTEXT_UNIT);
}
