#include "cli/obstacle.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "symbols/object_hooks.h"
#include "symbols/text_symbols.h"

static bool find_program(const char *name, char path[PATH_MAX]) {
  if (strchr(name, '/')) return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX;
  const char *from = getenv("PATH");
  while (from && *from) {
    size_t length = strcspn(from, ":");
    int written = snprintf(path, PATH_MAX, "%.*s/%s", (int)length, length ? from : ".", name);
    if (written < PATH_MAX && access(path, X_OK) == 0) return true;
    from += length + (from[length] == ':');
  }
  return false;
}

/* The first bytes, at most `most`, of the next segment of a type, from number *at on, which ends
 * behind it. How many they are; -1: there is none. */
static ssize_t read_segment(int file, const Elf64_Ehdr *elf, uint32_t type, int *at, void *bytes,
                            size_t most) {
  while (*at < elf->e_phnum) {
    Elf64_Phdr segment;
    if (pread(file, &segment, sizeof segment, (off_t)(elf->e_phoff + *at * sizeof segment)) !=
        sizeof segment)
      return -1;
    ++*at;
    if (segment.p_type != type) continue;
    ssize_t got = pread(file, bytes, segment.p_filesz < most ? segment.p_filesz : most,
                        (off_t)segment.p_offset);
    return got < 0 ? 0 : got;
  }
  return -1;
}

static bool has_interpreter(int file, const Elf64_Ehdr *elf) {
  int at = 0;
  return read_segment(file, elf, PT_INTERP, &at, NULL, 0) >= 0;
}

static bool is_for_musl(int file, const Elf64_Ehdr *elf) {
  char interpreter[PATH_MAX] = "";
  int at = 0;
  return read_segment(file, elf, PT_INTERP, &at, interpreter, sizeof interpreter - 1) > 0 &&
         strstr(interpreter, "/ld-musl");
}

/* Its linker's own note, of its build id. */
static bool is_from_go(int file, const Elf64_Ehdr *elf) {
  static const char head[] = "\4\0\0\0Go\0"; /* the type, the name */
  char notes[4096];
  ssize_t bytes;
  for (int at = 0; (bytes = read_segment(file, elf, PT_NOTE, &at, notes, sizeof notes)) >= 0;)
    if (memmem(notes, (size_t)bytes, head, sizeof head)) return true;
  return false;
}

/* Compiled with -pg, as its symbols tell. */
static bool counts_for_gprof(const char *path) {
  static const struct text_symbols_options all;
  struct text_symbols symbols = {0};
  bool found = false;
  if (text_symbols_read(path, &all, &symbols, NULL) == 0)
    for (size_t i = 0; i < symbols.count && !found; i++)
      found = strcmp(symbols.list[i].linkage, "mcount") == 0 ||
              strcmp(symbols.list[i].linkage, "_mcount") == 0 ||
              strcmp(symbols.list[i].linkage, "__fentry__") == 0;
  text_symbols_free(&symbols);
  return found;
}

/* Whether starting the file gives this user other rights, as the kernel decides. Root has all
 * capabilities already. */
static bool gives_privileges(int file, const char *path) {
  struct stat status;
  struct statvfs mount;
  if (fstat(file, &status) || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ||
      (fstatvfs(file, &mount) == 0 && mount.f_flag & ST_NOSUID))
    return false;
  mode_t group = S_ISGID | S_IXGRP; /* without the latter it means something else */
  return (status.st_mode & S_ISUID && status.st_uid != getuid()) ||
         ((status.st_mode & group) == group && status.st_gid != getgid()) ||
         (getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0);
}

static enum reach reach_of_elf(int file, const Elf64_Ehdr *elf, const char *path,
                               const char **reason, bool *hides_points) {
  *reason = "is not a 64-bit x86 program, and only those can be recorded";
  if (elf->e_ident[EI_CLASS] != ELFCLASS64 || elf->e_machine != EM_X86_64) return REACH_NONE;
  *reason = "gets privileges when it is started (setuid or file capabilities)";
  if (gives_privileges(file, path)) return REACH_RUNNING;
  *reason = "is a Go program, and Go's runtime takes every signal for its own";
  if (is_from_go(file, elf)) return REACH_OUTSIDE;
  *reason = "is linked with musl, and Ascribe's runtime is made for glibc";
  if (is_for_musl(file, elf)) return REACH_OUTSIDE;
  *reason = NULL;
  if (object_hooks_have_runtime(path)) return REACH_INSIDE;
  *hides_points = object_hooks_hide(path, "C_trace");
  if (has_interpreter(file, elf)) return REACH_INSIDE;
  *reason = counts_for_gprof(path)
                ? "is statically linked, so its calls of mcount (-pg) cannot be counted"
                : "is statically linked, so nothing can be loaded into it";
  return REACH_OUTSIDE;
}

/* A script's interpreter, in place of `path`. */
static bool follow_script(const char *head, char path[PATH_MAX]) {
  const char *at = head + 2 + strspn(head + 2, " \t");
  size_t length = strcspn(at, " \t\r\n");
  if (length == 0 || length >= PATH_MAX) return false;
  snprintf(path, PATH_MAX, "%.*s", (int)length, at);
  return true;
}

enum reach obstacle_find(const char *program, const char **reason, bool *hides_points) {
  char path[PATH_MAX];
  *reason = NULL;
  *hides_points = false;
  if (!find_program(program, path)) return REACH_INSIDE;
  for (int scripts = 0; scripts < 4; scripts++) {
    union {
      char text[256];
      Elf64_Ehdr elf;
    } head = {{0}};
    enum reach reach = REACH_INSIDE;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return REACH_INSIDE;
    ssize_t bytes = pread(file, &head, sizeof head - 1, 0);
    bool script = bytes > 2 && head.text[0] == '#' && head.text[1] == '!';
    if (bytes >= (ssize_t)sizeof head.elf && memcmp(head.text, ELFMAG, SELFMAG) == 0)
      reach = reach_of_elf(file, &head.elf, path, reason, hides_points);
    close(file);
    if (!script || !follow_script(head.text, path)) return reach;
  }
  return REACH_INSIDE;
}
