#include "runtime/life/presence.h"

#include <dlfcn.h>
#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>

#define GO_BUILD_ID 4 /* the type of Go's note */

extern const char ascribe_runtime_linked __attribute__((weak, visibility("default")));

/* What pthread_atfork is made of in glibc. Weak: musl's dynamic linker refuses a library that needs
 * what it has not. */
extern int __register_atfork(void (*)(void), void (*)(void), void (*)(void), void *)
    __attribute__((weak));

/* The start files': says to libc in which object the function is. */
extern void *__dso_handle __attribute__((visibility("hidden")));

bool presence_is_second(void) {
  return &ascribe_runtime_linked;
}

static bool is_from_go(const Elf64_Nhdr *note, uint64_t bytes) {
  static const char name[4] = "Go";
  if (bytes < sizeof *note + sizeof name || note->n_type != GO_BUILD_ID ||
      note->n_namesz != sizeof name)
    return false;
  return *(const uint32_t *)(note + 1) == *(const uint32_t *)name;
}

static bool program_is_from_go(void) {
  const Elf64_Phdr *segments = (const Elf64_Phdr *)getauxval(AT_PHDR);
  uint64_t count = getauxval(AT_PHNUM), base = 0;
  for (uint64_t i = 0; segments && i < count; i++) {
    if (segments[i].p_type == PT_PHDR) base = (uint64_t)segments - segments[i].p_vaddr;
    if (segments[i].p_type != PT_NOTE) continue;
    uint64_t left = segments[i].p_memsz;
    const char *at = (const char *)base + segments[i].p_vaddr;
    while (left >= sizeof(Elf64_Nhdr)) {
      const Elf64_Nhdr *note = (const Elf64_Nhdr *)at;
      if (is_from_go(note, left)) return true;
      uint64_t bytes =
          sizeof *note + ((note->n_namesz + 3ull) & ~3ull) + ((note->n_descsz + 3ull) & ~3ull);
      if (bytes > left) break;
      at += bytes;
      left -= bytes;
    }
  }
  return false;
}

bool presence_is_foreign(void) {
  return !__register_atfork || program_is_from_go();
}

void presence_after_fork(void (*function)(void)) {
  __register_atfork(NULL, NULL, function, NULL);
}

/* Clang links ThreadSanitizer's __cxa_atexit into the executable, where it calls a null pointer
 * until the sanitizer has started: after a preloaded runtime. */
void presence_at_exit(void (*function)(void)) {
  typedef int register_function(void (*)(void *), void *, void *);
  register_function *at_exit = (register_function *)dlsym(RTLD_NEXT, "__cxa_atexit");
  at_exit((void (*)(void *))(void *)function, NULL, &__dso_handle);
}
