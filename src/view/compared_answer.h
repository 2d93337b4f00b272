/* The table `compared`: the entries of two profiles side by side. */
#ifndef ASCRIBE_VIEW_COMPARED_ANSWER_H
#define ASCRIBE_VIEW_COMPARED_ANSWER_H

#include "view/table_query.h"

/* The parameters and the answer are those of tables.h. 0, or -1 with the reason. */
int compared_answer(struct table_query *query, FILE *out);

#endif
