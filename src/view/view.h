/* The profiles that are shown, and the answers about them: JSON, the same for a server and for a
 * page that stands alone.  A view is for one thread at a time; several views of the same files
 * answer at once (view_pool.h). */
#ifndef ASCRIBE_VIEW_VIEW_H
#define ASCRIBE_VIEW_VIEW_H

#include <stdbool.h>
#include <stdio.h>

#include "compare/comparison.h"
#include "profile/time_slices.h"
#include "view/parameters.h"
#include "view/short_names.h"
#include "view/stored_columns.h"

struct dial;
struct flame_tree;
struct shown;
struct timeline;
struct view_live;

struct view {
  struct workspace workspace;
  struct flame_tree *trees[WORKSPACE_MOST]; /* by profile; null: not needed yet */
  struct compared compared;                 /* the comparison that was asked for last */
  char *compared_by;                        /* which one it is; or null */
  bool compared_all;                        /* the table `compared` has all of it */
  struct stored_columns columns;            /* of large tables */
  struct short_names short_names;           /* of functions of all profiles */
  struct dial *dial;                        /* chosen calls (dial.h), or null */
  struct timeline *timeline;                /* of the first profile (timeline.h), or null */
  struct view_live *live;                   /* of a program that runs (live.h), or null */
  uint32_t turn;                            /* of the program that it shows (live.h) */
  bool shares_timeline;                     /* it is another view's */
  struct profile *loaded[WORKSPACE_MOST];   /* by profile: read into memory, or null */
  struct profile *codes[WORKSPACE_MOST];    /* by profile: what machine code needs of it, or null */
  bool of_parts;                            /* its profiles are parts of the first file (shown.h) */
  bool of_ranks;                            /* its profiles are of ranks of the first (shown.h) */
  double n[WORKSPACE_MOST];                 /* sizes of the inputs, or zeros */
  bool grown[ENTRY_KINDS];                  /* whether `growth` has them (growing.h) */
};

/* Without profiles. Add them to its workspace: the first is looked at, the others are compared with
 * it. To be closed with view_close, also after a failure. */
int view_open(struct view *view, struct error *error);
/* How large the input of each of its profiles was; that of the first is the largest. Then rows have
 * their growth (tables.h). */
void view_note_sizes(struct view *view, const double *n);
void view_close(struct view *view);

/* Another view of the files of `first`, of what is shown. `first` stays open for longer, and is
 * only read. To be closed with view_close, also after a failure. */
int view_open_shown(struct view *view, const struct view *first, const struct shown *shown,
                    struct error *error);

/* All that was copied or found out of the profiles: they are to be shown otherwise. */
int view_forget(struct view *view, struct error *error);

/* The profile with that number, in memory: it is there already, or read once; the first with its
 * series, which its bands over time need. Null, with the error set, if it cannot be read. */
const struct profile *view_in_memory(struct view *view, size_t number, struct error *error);

/* The same where only machine code and its costs are needed (store_load_code), in a part of the
 * time. */
const struct profile *view_for_code(struct view *view, size_t number, struct error *error);

/* The number of the profile that `parameters` ask for ("profile", default 1). */
size_t view_profile(const struct view *view, const struct parameters *parameters);

enum answer { ANSWER_GIVEN, ANSWER_WRONG, ANSWER_UNKNOWN, ANSWER_PAST };

/* Write the answer `name` as JSON:
 *   info    the profiles: their runs, threads, origin, sums, objects, metrics
 *   table   rows of a table (tables.h)
 *   source  the text of a file, as the profile keeps it, with its figures (source_answer.h)
 *   series  figures of an entry by time or size (series.h)
 *   matrix  who sends to whom in a parallel job (message_pairs.h)
 *   ranks   figures of each rank in any metric (rank_figures.h)
 *   alike   ranks that spend their time alike (rank_figures.h)
 *   dial    chooses how often a call happened (dial.h); only this changes something
 *   time    what was measured when (timeline.h)
 *   times   the same for all metrics and owners
 *   flame   the frames that are wide enough to be seen (flame.h)
 *   code    machine code of a function (code_answer.h)
 *
 * ANSWER_WRONG: *error says what is wrong with the question, or the profile; what was written so
 * far is to be thrown away. ANSWER_PAST: only from a pool (view_pool.h). */
enum answer view_answer(struct view *view, const char *name, const struct parameters *parameters,
                        FILE *out, struct error *error);

#endif
