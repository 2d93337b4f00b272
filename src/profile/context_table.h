/* The contexts of a profile, each history of a thread once (rule B2). */
#ifndef ASCRIBE_PROFILE_CONTEXT_TABLE_H
#define ASCRIBE_PROFILE_CONTEXT_TABLE_H

#include "base/hash_index.h"
#include "profile/profile.h"

struct context_table {
  struct profile *profile; /* contexts are appended to it */
  struct hash_index index; /* by thread and history */
};

/* Contexts that the profile has already are found too. */
void context_table_open(struct context_table *table, struct profile *profile);
void context_table_close(struct context_table *table);

/* The context of `thread` with this history, or NOTHING. */
uint32_t context_find(const struct context_table *table, uint32_t thread, const uint32_t *history,
                      uint32_t length);

/* The context of `thread` with this history, which is copied if it is new. */
uint32_t context_intern(struct context_table *table, uint32_t thread, const uint32_t *history,
                        uint32_t length);

/* Append one that the profile is known not to have. */
uint32_t profile_add_context(struct profile *profile, uint32_t thread, const uint32_t *history,
                             uint32_t length);

#endif
