/* The machine code of functions, with what each instruction cost. */
#ifndef ASCRIBE_REPORT_CODE_PIECES_H
#define ASCRIBE_REPORT_CODE_PIECES_H

#include "report/model.h"
#include "report/subject.h"
#include "symbols/disassembly.h"

/* One instruction. */
struct code_row {
  struct amount self;  /* of all functions that have code there */
  const char *file;    /* of the innermost function there; null: not known */
  uint32_t line;       /* 0: not known */
  const char *inlined; /* "f > g": the calls that were inlined there, outermost first; "" none */
  bool asked_for;      /* code of the function that was asked for, inlined or not */
};

/* A stretch of code that the symbol table names: a function, its cold part, or another function
 * that it was inlined into. */
struct code_piece {
  uint32_t object;
  struct symbol_file *file;
  struct symbol symbol;
  struct disassembly disassembly;
  struct code_row *rows; /* by instruction */
  struct amount self;    /* of all rows */
  struct amount own;     /* of the functions that were asked for */
};

struct code {
  struct symbols *symbols;
  struct code_piece *pieces; /* most `own` time first, then most `self` */
  size_t count;
  struct error error; /* why there is no code, or not all of it; else "" */
};

/* The code of some functions: where ticks met them, and what the symbol table has of them. Needs
 * the objects on disk. To be freed with code_free. */
void code_make(const struct report_model *model, const struct subject_functions *functions,
               struct code *code);
void code_free(struct code *code);

#endif
