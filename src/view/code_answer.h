/* The machine code of a function, with what each instruction cost. */
#ifndef ASCRIBE_VIEW_CODE_ANSWER_H
#define ASCRIBE_VIEW_CODE_ANSWER_H

#include "view/view.h"

/* Parameters: profile, id (of a function). The answer has asm, as `report --asm --json` has it
 * (docs/PROFILE.md). Reads the executable or library that the profile names, if it still has the
 * recorded build-id. */
int code_answer(struct view *view, const struct parameters *parameters, FILE *out,
                struct error *error);

#endif
