/* Source files, as they are copied into a profile. Which files those are is said by the recorded
 * program, which is not believed: it could name any file of the recorder's. */
#ifndef ASCRIBE_STORE_SOURCE_TEXT_H
#define ASCRIBE_STORE_SOURCE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/* What may still be copied. */
struct source_budget {
  size_t file_bytes;  /* of one file */
  size_t total_bytes; /* of all */
  bool closed;        /* a file that was copied is closed to others */
};
#define SOURCE_BUDGET ((struct source_budget){8u << 20, 64u << 20, false})

/* Who names a file. */
struct source_claim {
  bool refused;    /* several users do: nothing is read */
  bool foreign;    /* `owner` does, who is neither root nor the user that asks */
  bool own_object; /* an object of the user that asks does */
  uid_t owner;
  int64_t before_ns; /* CLOCK_REALTIME: files made later are not read; 0: whenever */
};

/* Whether neither its group nor others may read a file. */
bool source_is_closed(const struct stat *status);

/* The text of a regular file, malloc'ed, with a zero after its end.  Null if it cannot be read, is
 * not text, exceeds the budget (from which it is taken), or is not to be read on this claim: the
 * user who names it may not read it, or it does not look like source (source_text.c). */
char *source_text_read(const char *path, const struct source_claim *claim,
                       struct source_budget *budget, size_t *bytes);

#endif
