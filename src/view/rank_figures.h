/* Figures of each rank of a parallel job that its merged profile does not keep, from the ranks' own
 * profiles, and those of MPI. */
#ifndef ASCRIBE_VIEW_RANK_FIGURES_H
#define ASCRIBE_VIEW_RANK_FIGURES_H

#include "view/view.h"

/* Parameters:
 *   figure  a metric's name; or "MPI": what the ranks called of MPI
 *   id      of a function in the first profile; of MPI, what it calls itself. None: the whole
 * The answer: rows with columns run (its id) and, of a metric, self_ns, self_uncertainty_ns,
 * total_ns and total_uncertainty_ns in its unit, as in metric_functions (of the whole, both are all
 * of it); of MPI calls, sent, sent_bytes, received, received_bytes, elapsed_ns and waiting_ns (in
 * calls that wait, and collective ones). Ranks that had nothing have zeros, those whose own profile
 * (*.RANK.ascribe beside that of the job) is not there NULL. */
int rank_figures_answer(struct view *view, const struct parameters *parameters, FILE *out,
                        struct error *error);

/* run_groups as in `report --ranks --json` (rank_groups.h). */
int rank_groups_answer(struct view *view, FILE *out, struct error *error);

#endif
