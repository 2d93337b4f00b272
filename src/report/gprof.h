/* Listings in the layout of GNU gprof, for people and programs that know it. */
#ifndef ASCRIBE_REPORT_GPROF_H
#define ASCRIBE_REPORT_GPROF_H

#include <stdio.h>

#include "attribution/call_graph.h"

struct gprof_listing {
  const struct call_graph *graph; /* propagated; times in ticks */
  double ticks;                   /* 100 % of the flat profile */
  uint32_t rate;                  /* ticks in a unit of the dimension; 0: no histogram */
  const char *dimension;          /* "seconds" */
  char abbreviation;              /* 's' */
  double bin_bytes;               /* of code that a bin of the histogram stands for */
  bool lines;                     /* nodes are lines: named "f (file.c:12 @ 401136)" */
  bool paths;                     /* with the directories of files */
  bool definitions;               /* with the places of functions: "f (file.c:12)" */
  bool unused;                    /* list functions that were not called and took no time, too */
  bool brief;                     /* without explanations */
  unsigned width;                 /* columns of the index */
  const struct graph_choice *flat;
  uint32_t *order;  /* all nodes as the call graph lists them; gprof_listing_sort */
  uint32_t *number; /* by node: its place there, from 1 */
};

/* Fill `order` and `number`; to be freed with gprof_listing_release. */
void gprof_listing_sort(struct gprof_listing *listing);
void gprof_listing_release(struct gprof_listing *listing);

void gprof_print_flat(const struct gprof_listing *listing, FILE *out);
void gprof_print_graph(const struct gprof_listing *listing, FILE *out);
void gprof_print_index(const struct gprof_listing *listing, FILE *out);

/* The name of a node, as the flat profile has it; with its cycle and number, as the graph has. */
void gprof_print_name(const struct gprof_listing *listing, uint32_t node, FILE *out);
void gprof_print_numbered(const struct gprof_listing *listing, uint32_t node, FILE *out);

/* A file's name, without its directories unless they are wanted. */
const char *gprof_file(const struct gprof_listing *listing, const char *path);

#endif
