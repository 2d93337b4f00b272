/* A process that counted, while its counters become calls: its objects with counters, their values,
 * and the functions that they name. */
#ifndef ASCRIBE_ATTRIBUTION_COUNTING_H
#define ASCRIBE_ATTRIBUTION_COUNTING_H

#include "attribution/counts/counted_object.h"
#include "attribution/counts/counted_origins.h"
#include "attribution/counts/counter_values.h"
#include "attribution/counts/counters.h"
#include "attribution/counts/name_scope.h"

/* An object with counters in the process at hand. */
struct loaded {
  const struct counters_entry *entry;
  uint32_t object;                      /* of the profile */
  const struct counted_object *counted; /* the same */
  uint64_t bias;                        /* address in the process - link-time address */
  struct counter_memory memory;
  struct counter_values values;    /* of `counted` */
  struct counted_origins *origins; /* by function of `counted` */
};

struct counting {
  struct counter_adder *adder;
  const struct process_recording *process;
  uint32_t process_id;
  struct loaded *loaded;
  size_t loaded_count;
  struct named_object *named; /* by loaded object */
  struct name_scope scope;
  struct map entered;   /* function -> index in the next three */
  uint64_t *entries;    /* calls that entered it */
  uint64_t *from_sites; /* those of them that a call site counted */
  uint32_t *functions;
  size_t entered_count;
};

/* The process whose places were entered last. Objects that ran in another build than the file's
 * have no functions here, and get a message. */
void counting_open(struct counting *counting, struct counter_adder *adder,
                   const struct process_recording *process);
void counting_close(struct counting *counting);

/* A function with counters in the process. */
struct counted_target {
  uint32_t function; /* of the profile, or NOTHING: nothing of its name */
  bool piece;
};
struct counted_target counting_target(struct counting *counting, const struct loaded *loaded,
                                      const struct counted_code *code);

/* The function that a call by name means; `from`, `here` are as name_scope_find has them. */
bool counting_named(struct counting *counting, const struct loaded *from, const char *name,
                    const struct counted_code *here, struct counted_target *target);

/* The function that a pointer led to; it may be a stub of an executable's. */
bool counting_pointed(struct counting *counting, const struct function_entry *pointed,
                      struct counted_target *target);

/* The loaded object that has this address in its text, or among its counters; or null. */
const struct loaded *counting_object_at(const struct counting *counting, uint64_t address,
                                        uint64_t event);
const struct loaded *counting_counters_at(const struct counting *counting, uint64_t address);

#endif
