/* What a compiler command is asked to do, as far as the wrapper has to know. */
#ifndef ASCRIBE_INSTRUMENT_COMMAND_LINE_H
#define ASCRIBE_INSTRUMENT_COMMAND_LINE_H

#include <stdbool.h>

#include "base/error.h"

struct command_line {
  bool has_input;       /* names a file or library; else it only asks the compiler something */
  bool has_source;      /* an input that may be compiled (not only objects and assembly) */
  bool debug;           /* -g...: with debug information */
  bool preprocess_only; /* -E, -M, -MM */
  bool links;           /* would run the linker */
  bool shared;          /* -shared */
  bool version_script;  /* -shared with a linker's version script: symbols may become local */
  bool relocatable;     /* -r */
  bool static_program;  /* -static, -static-pie */
  bool freestanding;    /* -ffreestanding: perhaps no thread-local storage at run time */
  bool no_start_files;  /* -nostdlib, -nostartfiles */
  bool link_time;       /* -flto: optimized when it is linked */
  bool intercepts;      /* -fsanitize=address and others that replace pthread_create */
  bool foreign_machine; /* -m32, -mx32, -m16: not the machine the hooks are for */
};

/* Read `arguments` (without the compiler's name); response files are looked into. */
void command_line_read(int count, char *const *arguments, struct command_line *read);

#endif
