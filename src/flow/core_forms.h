/* A higher-order program as a language host wrote it into the recording: core forms, in postfix
 * order, words with blanks between them.  What they make is a graph along which procedures flow
 * from where they are made to where they are called.
 *
 *     q                     a constant, or another value that is no procedure: pushed
 *     u                     a value of which nothing is known: pushed
 *     r V, g G              the variable, the global one: pushed
 *     b V, B G              what was pushed last is bound to it, or assigned
 *     d                     it is dropped
 *     e                     it is given to code that nobody sees
 *     j                     the last two become one: the ways of a condition
 *     o                     code that nobody sees may use and assign every global, by its name
 *     k N R V...            the last one is the body of a clause with N parameters;
 *                           R 1: the last of them is a list of all further arguments
 *     l P N                 the last N clauses are procedure P (its key in the world; 0: one
 *                           that is part of others, and not counted): pushed
 *     c C N                 the last N are arguments, the one before them is called, at
 *                           call C (its key; 0: it is not counted): its result is pushed
 *
 * Source: Waddell and Ashley, "Visualizing the performance of higher-order programs", section 4. */
#ifndef ASCRIBE_FLOW_CORE_FORMS_H
#define ASCRIBE_FLOW_CORE_FORMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CORE_NOTHING, CORE_UNKNOWN, CORE_ESCAPED, CORE_FIRST_NODE }; /* nodes of their own */

struct core_edge {
  uint32_t to, next; /* next edge of the same node, or UINT32_MAX */
};

struct core_clause {
  uint32_t first_parameter, parameter_count; /* nodes, in program->parameters */
  bool rest;
  uint32_t body; /* node */
};

struct core_procedure {
  uint64_t key;
  uint32_t first_clause, clause_count;
  uint32_t node; /* that it is the value of */
  bool escapes;  /* found: code that nobody sees may call it */
};

struct core_call {
  uint64_t key;
  uint32_t called, result;                 /* nodes */
  uint32_t first_argument, argument_count; /* nodes, in program->arguments */
  uint32_t next;                           /* next call of the same node, or UINT32_MAX */
  bool unknown;                            /* found: it may call what nobody sees */
  uint32_t *targets;                       /* found: procedures, each once */
  uint32_t target_count;
};

/* Owned by the caller. Node n has the edges from first_edge[n] on and the calls from first_call[n]
 * on. */
struct core_program {
  uint32_t *first_edge, *first_call;
  uint32_t node_count;
  bool too_large; /* not all edges are there: nothing may be concluded */
  struct core_edge *edges;
  struct core_clause *clauses;
  struct core_procedure *procedures;
  struct core_call *calls;
  uint32_t *parameters, *arguments;
  size_t edge_count, clause_count, procedure_count, call_count, parameter_count, argument_count;
};

/* Reads `bytes` of text, which may be anything and end anywhere. -1: it is no program; nothing is
 * to be freed then.  Any thread. */
int core_forms_read(const char *text, size_t bytes, struct core_program *program);
void core_program_free(struct core_program *program);

/* Whatever flows to `from` flows to `to`, too. */
void core_program_link(struct core_program *program, uint32_t from, uint32_t to);

#endif
