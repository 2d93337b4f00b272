/* A program that still runs: its profile is made anew while it is looked at. */
#ifndef ASCRIBE_VIEW_LIVE_H
#define ASCRIBE_VIEW_LIVE_H

#include "view/view.h"

/* What is shown of it. Questions name the turn that they are about: ids are of one turn only. */
struct view_live {
  uint32_t turn;     /* of the profile that is shown; 0: no program runs, or did */
  bool running;      /* else this is the last one */
  bool wanted;       /* somebody looks at this turn, and wants the next */
  uint64_t age_ns;   /* of the recording when the turn was made */
  uint64_t every_ns; /* from one turn to the next, as it was last */
  const char *note;  /* about the end; or null */
};

/* Whether the question is about the turn that the view shows, or names none. */
bool live_is_of_turn(const struct view *view, const struct parameters *parameters);

/* The answer "live": all of it as JSON. `turn` says what the asker has; `want` 1: and that the next
 * one is wanted. */
void live_answer(const struct view *view, const struct parameters *parameters, FILE *out);

#endif
