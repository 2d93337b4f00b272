/* The code of a profile: objects, and the functions in them.  A function's identity is its object
 * and a key there: an address in a file, a host's number in a world. */
#ifndef ASCRIBE_PROFILE_FUNCTIONS_H
#define ASCRIBE_PROFILE_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum object_kind {
  OBJECT_FILE, /* an ELF file, or whatever a file's format calls one */
  OBJECT_WORLD /* of a language host: a script, a heap of closures. It has no machine code */
};

struct profile_object {
  const char *path;      /* of a world its name */
  const char *build_id;  /* hexadecimal digits, "" if none */
  const char *message;   /* what is missing in its symbols, for the user; "" if nothing is */
  const char *uncounted; /* it has hooks, but no call in it was counted: why that may be; or null */
  uint32_t counted;      /* enum counted_program bits; 0: it has no counters, or it is not known */
  enum object_kind kind;
  bool haskell; /* GHC compiled code of it, and its stack is not C's */
};

/* Which program the counters describe (bits). */
enum counted_program {
  COUNTED_OPTIMIZED = 1, /* of the optimized program */
  COUNTED_AS_WRITTEN = 2 /* of the source, before optimization */
};

/* "optimized", "source" or "both", as the profile's files have it; null: nothing is counted. */
const char *counted_program_name(uint32_t counted);

enum function_kind {
  FUNCTION_COUNTED,  /* entered through a hook: its calls are exact */
  FUNCTION_SAMPLED,  /* code without hooks: ticks fell into it, its calls are not known */
  FUNCTION_OVERFLOW, /* stands for the calls whose function is not in the recording */
  FUNCTION_CUT,      /* stands for outer frames of sampled stacks that could not be found */
};

/* Whether calls of functions of this kind were counted. */
static inline bool function_is_counted(enum function_kind kind) {
  return kind == FUNCTION_COUNTED || kind == FUNCTION_OVERFLOW;
}

/* The functions of FUNCTION_CUT. Whoever called Haskell's code is on a stack of its own, which is
 * not looked at. */
#define CUT_STACK "(stack cut off)"
#define CUT_HASKELL "(callers of Haskell code)"

/* Whether there is such a function, rather than frames that are missing. */
static inline bool function_is_code(enum function_kind kind) {
  return kind == FUNCTION_COUNTED || kind == FUNCTION_SAMPLED;
}

/* In what shapes a sampled function was seen. */
enum body {
  BODY_OWN = 1,    /* as a function of its own */
  BODY_INLINED = 2 /* in the code of another, where the compiler put it */
};

/* One function of one object: its clones and pieces together, in all processes. */
struct profile_function {
  const char *name;              /* demangled, never null */
  const char *linkage;           /* as in the symbol table; null where there is no symbol */
  const char *file;              /* of its definition, or null */
  uint32_t line;                 /* 0: not known */
  uint32_t column;               /* of its definition in that line, from 1; 0: not known */
  uint32_t end_line, end_column; /* of the last character of its definition; 0: not known */
  uint32_t object;               /* or NOTHING */
  enum function_kind kind;
  uint32_t bodies; /* enum body bits */
  bool exported;   /* other objects, or other files of its own, may name it */
};

/* How code came to where it runs, one step outward from its source: a function's text, by a call
 * that was inlined; a macro's, where it was expanded. */
struct profile_expansion {
  uint32_t parent;        /* how what it stands in came there, earlier in the array; or NOTHING */
  uint32_t function;      /* that was inlined, or NOTHING: a macro */
  const char *macro;      /* its name, or null */
  const char *defined_in; /* the file of the macro's definition, or null */
  uint32_t defined_at;    /* its line; 0: not known */
  const char *file;       /* of the call or the expansion, or null */
  uint32_t line, column;
};

#endif
