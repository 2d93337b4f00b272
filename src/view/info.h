/* What the profiles are: runs, threads, where they come from. */
#ifndef ASCRIBE_VIEW_INFO_H
#define ASCRIBE_VIEW_INFO_H

#include "view/view.h"

int info_answer(struct view *view, FILE *out, struct error *error);

/* The text of the file `file` that the profile keeps: file, text (null: it has none), newer. */
int source_answer(struct view *view, const struct parameters *parameters, FILE *out,
                  struct error *error);

#endif
