/* Which functions of an executable may call which: direct calls, calls through pointers, and the
 * functions whose address is taken, as the code (by capstone) and the relocations say.
 * Source: Waddell and Ashley, "Visualizing the performance of higher-order programs", section 4,
 * where a flow analysis of the source makes the graph; this one is of the machine code, and says
 * of a pointer no more than that it holds some address that was taken. */
#ifndef ASCRIBE_SYMBOLS_CALL_PLACES_H
#define ASCRIBE_SYMBOLS_CALL_PLACES_H

#include "symbols/symbols.h"
#include "symbols/text_symbols.h"

enum callee_kind {
  CALLEE_HERE,    /* a function of the same executable */
  CALLEE_OUTSIDE, /* a function of another object, by its name */
  CALLEE_POINTER,
};

struct call_place {
  uint64_t from; /* the last byte of the call, or of the jump of a tail call */
  size_t symbol; /* whose code it is: index into the text symbols */
  enum callee_kind kind;
  size_t callee;       /* index into the text symbols, of CALLEE_HERE */
  const char *outside; /* of CALLEE_OUTSIDE; may be null: not known */
};

/* All zeros: none. */
struct call_places {
  struct call_place *list; /* by symbol */
  size_t count;
  bool *taken;        /* by text symbol: its address is in data, or computed by code */
  bool *from_outside; /* by text symbol: called by other objects, or by their lists */
  bool takes_outside; /* so is the address of some function of another object */
  bool foreign;       /* it needs libraries other than those of C: they may call back */
};

/* `text` is of the same executable. Addresses that code of compilers and linkers takes (true of
 * call_place_is_runtime) are for calls from outside.  Jumps through registers count as tail calls
 * where the debug information says so.  Fails on other machines than x86-64. *places is to be freed
 * in any case. */
int call_places_find(struct symbol_file *file, const struct text_symbols *text,
                     struct call_places *places, struct error *error);
void call_places_free(struct call_places *places);

/* The start of a program, and what counts lines and regions in it. */
bool call_place_is_runtime(const struct text_symbol *symbol);

#endif
