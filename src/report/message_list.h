/* Calls of MPI, and who sends to whom. */
#ifndef ASCRIBE_REPORT_MESSAGE_LIST_H
#define ASCRIBE_REPORT_MESSAGE_LIST_H

#include "report/listing.h"

/* How long each rank is in them, from where they are called, and the matrix of messages. Nothing
 * where none was recorded. */
void listing_messages(const struct listing *listing);

#endif
