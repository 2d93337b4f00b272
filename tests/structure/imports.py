#!/usr/bin/env python3
"""What the runtime takes from libc is on this list: nothing that allocates, locks or writes
through stdio, since hooks and signal handlers run it.  imports.py RUNTIME.o"""

import subprocess
import sys

# Name: where it is called, and why that is safe.
ALLOWED = {
    "_ITM_deregisterTMCloneTable": "the compiler's start files; weak",
    "_ITM_registerTMCloneTable": "the compiler's start files; weak",
    "__cxa_finalize": "the compiler's start files; weak",
    "__gmon_start__": "the compiler's start files; weak",
    "__register_atfork": "pthread_atfork, in a library; weak, for musl has none",
    "ascribe_allocator": "the runtime's, in the same link",
    "ascribe_counting": "of objects with counters in the same link; weak",
    "ascribe_runtime_linked": "tells the preloaded runtime that the program has one; weak",
    "C_pre_gc_hook": "CHICKEN's: a word that names a function; weak",
    "C_post_gc_hook": "CHICKEN's: a word that names a function; weak",
    "C_restart": "CHICKEN's jump buffer, of which the address counts; weak",
    "_GLOBAL_OFFSET_TABLE_": "the linker's",
    "__errno_location": "in wrappers that the program itself calls",
    "__start_ascribe_counts": "the linker's",
    "__start_ascribe_text": "the linker's",
    "__start_ascribe_units": "the linker's",
    "__start_ascribe_early": "the linker's",
    "__start_ascribe_ways": "the linker's",
    "__stop_ascribe_counts": "the linker's",
    "__stop_ascribe_text": "the linker's",
    "__stop_ascribe_units": "the linker's",
    "__stop_ascribe_early": "the linker's",
    "__stop_ascribe_ways": "the linker's",
    "__real_C_trace": "CHICKEN's, where its compiled code calls it; weak",
    "__real_pthread_create": "where the program itself calls it; static programs only, weak",
    "__real_thrd_create": "where the program itself calls it; static programs only, weak",
    "_start": "where static programs go on after their first instructions",
    "atexit": "once, at the start",
    "dl_iterate_phdr": "at the start and in the exit handler",
    "dlsym": "once a wrapped function, at the start or at its first call; dynamic programs only",
    "__environ": "environ, in a library",
    "environ": "read and changed in place, when the program asks for a filter of system calls; weak",
    "getauxval": "once, at the start; reads what the loader left",
    "pthread_atfork": "once, at the start",
    "pthread_attr_getstacksize": "in a wrapper that the program itself calls; reads a field",
    "pthread_attr_init": "in a wrapper that the program itself calls; sets fields",
    "pthread_key_create": "once, at the start",
    "pthread_key_delete": "once, at the start, when there are too many keys already",
    "pthread_setspecific": "once a thread; the first 32 keys need no memory",
}

# The allocator of the program, where the program itself calls it (ascribe-heap.o).
ALLOWED |= {f"__real_{name}": "where the program itself calls it" for name in (
    "malloc", "calloc", "realloc", "free", "memalign", "aligned_alloc", "posix_memalign", "valloc", "pvalloc",
    "mmap", "munmap", "mremap", "brk", "sbrk")}


def main():
    listing = subprocess.run(["nm", "-u", sys.argv[1]], check=True, capture_output=True, text=True)
    imported = {line.split()[-1].split("@")[0] for line in listing.stdout.splitlines() if line}
    wrong = sorted(imported - set(ALLOWED))
    for name in wrong:
        print(f"the runtime imports {name}, which is not on the list")
    if not imported:
        print("the runtime imports nothing at all: is this the right file?")
    sys.exit(bool(wrong) or not imported)


if __name__ == "__main__":
    main()
