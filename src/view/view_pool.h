/* Views of the same files that answer at once: a slow question delays nobody as long as there is a
 * view for the others.
 *
 * Views are kept by what they show (shown.h).  A question takes an idle one of its own, or, if all
 * are busy for longer than a moment, another is opened.  What a view has read and computed is its
 * own; the loaded first profile is shared (timeline.h).  Where a file is no longer the one that was
 * opened first, questions are refused: ids of one mean nothing in the other.  All functions may be
 * called by any thread. */
#ifndef ASCRIBE_VIEW_VIEW_POOL_H
#define ASCRIBE_VIEW_VIEW_POOL_H

#include "view/view.h"

struct view_pool;

/* `first` has the files and is the caller's; nobody may ask it until the pool is closed. */
struct view_pool *view_pool_open(struct view *first);

/* Nobody asks any more. */
void view_pool_close(struct view_pool *pool);

/* Show `next` from now on, which is the caller's and stays open until the pool is closed or shows
 * another: questions that come now are about it, while those about the one before are still
 * answered. A turn of a running program (live.h) ends with that. */
void view_pool_show(struct view_pool *pool, struct view *next);

/* Wait until nobody needs what was shown before. To be called before it is closed, and before
 * another is shown. */
void view_pool_await(struct view_pool *pool);

/* Do something with the first view's struct view_live while nobody reads it; the result of
 * `change`. */
int view_pool_change(struct view_pool *pool, int (*change)(struct view_live *live, void *context),
                     void *context);

/* Who waits for an answer; `is_gone`: he does not, so nothing more needs to be done. */
struct view_asker {
  bool (*is_gone)(void *at);
  void *at;
};

/* view_answer of a view that shows what `parameters` say; also `live`: the program that is shown
 * while it runs. ANSWER_PAST: the question is about a turn that is no longer shown. */
enum answer view_pool_answer(struct view_pool *pool, const struct view_asker *asker,
                             const char *name, const struct parameters *parameters, FILE *out,
                             struct error *error);

#endif
