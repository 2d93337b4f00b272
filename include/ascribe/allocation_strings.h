/* What the compiler says of the types of allocated blocks: the section `.debug.ascribe_types`,
 * which the compiler plugins write. docs/FORMATS.md has its layout; here is what its writer and its
 * reader share. It is a set of strings, equal ones of which the linker keeps once. A string begins
 * with ALLOCATION_BEGINS, so none is the end of another, and has fields with ALLOCATION_ENDS_FIELD
 * behind each but the last. No field has either character. */
#ifndef ASCRIBE_ALLOCATION_STRINGS_H
#define ASCRIBE_ALLOCATION_STRINGS_H

/* Named like debug information for the reasons that COUNTER_POINTS_SECTION is. */
#define ALLOCATION_TYPES_SECTION ".debug.ascribe_types"

#define ALLOCATION_BEGINS '\1'
#define ALLOCATION_ENDS_FIELD '\2'

enum allocation_field {
  ALLOCATION_FUNCTION, /* linkage name of the function whose text has the call */
  ALLOCATION_FILE,     /* the call's, without directories; its line and column are as in DWARF */
  ALLOCATION_LINE,
  ALLOCATION_COLUMN,
  ALLOCATION_CALLEE, /* what is called: one of the two letters below */
  ALLOCATION_TYPE,   /* "_ZTS" and the type mangled, or words; empty: the function returns the block
                      */
  ALLOCATION_FIELDS
};

#define ALLOCATION_BY_ALLOCATOR "a" /* malloc and its like: the block may be made further in */
#define ALLOCATION_BY_FUNCTION                                                                     \
  "f" /* any other; the block is the result if what is further in says so */

#endif
