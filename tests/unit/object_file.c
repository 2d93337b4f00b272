/* Which file belongs to a mapping: this program's own, by its build-id, and none that is another.
 */
#include "outside/object_file.h"

#include <limits.h>
#include <unistd.h>

#include "check.h"
#include "outside/build_id.h"
#include "unwind/rule.h"

static char self[PATH_MAX];

static struct kernel_mapping mapping_of(const char *path) {
  return (struct kernel_mapping){.pid = (uint32_t)getpid(), .path = path};
}

static void the_same_file(void) {
  struct object_files files = {0};
  struct kernel_mapping mapping = mapping_of(self);
  const struct object_file *file = object_files_get(&files, &mapping);
  CHECK(file->image && file->tables && file->tables->bytes);
  CHECK_EQUAL(file->build_id_bytes, BUILD_ID_MOST);
  CHECK_TEXT(object_files_path(file), self);
  CHECK(object_files_get(&files, &mapping) == file);
  mapping.inode = 5; /* what is mapped there now is another one */
  CHECK(object_files_get(&files, &mapping) != file);
  object_files_close(&files);
}

static void another_build(void) {
  struct object_files files = {0};
  static const uint8_t wrong[BUILD_ID_MOST] = {1};
  struct kernel_mapping mapping = mapping_of(self);
  mapping.build_id = wrong;
  mapping.build_id_bytes = sizeof wrong;
  const struct object_file *file = object_files_get(&files, &mapping);
  CHECK(!file->image);
  CHECK(file->tables == &object_no_rules);
  CHECK_EQUAL(file->build_id[0], 1); /* that of what was mapped */
  object_files_close(&files);
}

static void missing_file(void) {
  struct object_files files = {0};
  struct kernel_mapping mapping = mapping_of("/no/such/file");
  const struct object_file *file = object_files_get(&files, &mapping);
  CHECK(!file->image);
  CHECK(file->tables == &object_no_rules);
  CHECK_TEXT(object_files_path(file), "/no/such/file");
  CHECK_EQUAL(unwind_find_rule(file->tables, 0x1000).kind, UNWIND_RULE_NONE);
  object_files_close(&files);
}

static void not_a_program(void) {
  struct object_files files = {0};
  struct kernel_mapping mapping = mapping_of("/etc/passwd");
  const struct object_file *file = object_files_get(&files, &mapping);
  CHECK(file->image);
  CHECK(!file->tables);
  CHECK_EQUAL(file->build_id_bytes, 0);
  object_files_close(&files);
}

static void kernels_own(void) {
  struct object_files files = {0};
  struct kernel_mapping mapping = mapping_of("[vdso]");
  const struct object_file *file = object_files_get(&files, &mapping);
  CHECK(file->image && file->tables && file->tables->bytes);
  object_files_close(&files);
}

int main(void) {
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  CHECK(length > 0);
  the_same_file();
  another_build();
  missing_file();
  not_a_program();
  kernels_own();
  return check_result();
}
