/* Which procedures may be called at each call of a higher-order program, and which ones code that
 * nobody sees may call: a control-flow analysis without contexts (0-CFA).  It errs on one side: a
 * procedure that arrives at a call when the program runs is among the call's targets, or else the
 * call is `unknown` and the procedure `escapes`.
 * Source: J. M. Ashley and R. K. Dybvig, "A practical and flexible flow analysis for higher-order
 * languages", ACM TOPLAS 20, 1998: sets are bounded, and what is larger is given up. */
#ifndef ASCRIBE_FLOW_CLOSURE_FLOW_H
#define ASCRIBE_FLOW_CLOSURE_FLOW_H

#include "flow/core_forms.h"

enum { CLOSURE_FLOW_MOST = 64 }; /* procedures that are told apart at one place */

/* Fills in what is to be found in the program.  Returns at how many places more procedures arrive
 * than that. Time: edges times CLOSURE_FLOW_MOST, at most. */
uint32_t closure_flow_find(struct core_program *program);

#endif
