/* What the profiles are: runs, threads, where they come from. */
#ifndef ASCRIBE_VIEW_INFO_H
#define ASCRIBE_VIEW_INFO_H

#include "view/view.h"

int info_answer(struct view *view, FILE *out, struct error *error);

#endif
