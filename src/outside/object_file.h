/* The files of code that processes have mapped: each is opened once, for its unwind tables. */
#ifndef ASCRIBE_OUTSIDE_OBJECT_FILE_H
#define ASCRIBE_OUTSIDE_OBJECT_FILE_H

#include "base/arena.h"
#include "base/hash_index.h"
#include "outside/kernel_record.h"
#include "unwind/frame_tables.h"

struct object_file {
  struct kernel_mapping first; /* the mapping that it was met in, whose strings are ours */
  const uint8_t *build_id;     /* the kernel's word, or else the file's own */
  uint32_t build_id_bytes;     /* 0: none */
  const uint8_t *image;        /* the file's bytes; null: it cannot be read, or is another one */
  uint64_t bytes;
  const char *path; /* under which we can open it, while its process is there at least; or null */
  const struct unwind_tables *tables; /* null: it has none, as code made by Go */
  struct unwind_tables own;
};

/* The rules of undescribed code: no place in it has a rule, and nothing is guessed. */
extern const struct unwind_tables object_no_rules;

struct object_files {
  struct object_file **list;
  size_t count;
  struct hash_index by_name;
  struct arena arena;
};

/* All zeros: none yet. */
void object_files_close(struct object_files *files);

/* The file of a mapping; it is looked for in the file system of the process, then in ours. */
const struct object_file *object_files_get(struct object_files *files,
                                           const struct kernel_mapping *mapping);

/* Where the file can be read from now, for whoever opens it later; or else its own name.  Valid as
 * long as the files are. */
const char *object_files_path(const struct object_file *file);

#endif
