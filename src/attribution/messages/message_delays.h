/* Late senders and late receivers: how long calls of MPI waited because the other end of their
 * message began later.
 *
 * The n-th receive that was posted for messages of a sender with a tag in a communicator gets the
 * n-th that this one sent there: messages do not overtake each other (MPI 3.1, section 3.5). A
 * receive from any sender belongs to the one that it got a message from.  A receive waits for a
 * late sender from its call until the sender's call began; a send for a late receiver, if the
 * receive was posted before the send was done.  Both as in Wolf, Mohr, "Automatic performance
 * analysis of hybrid MPI/OpenMP applications", Journal of Systems Architecture 49, 2003. */
#ifndef ASCRIBE_ATTRIBUTION_MESSAGE_DELAYS_H
#define ASCRIBE_ATTRIBUTION_MESSAGE_DELAYS_H

#include "profile/profile.h"

/* From the ends of messages that the profile has: profile.message_delays, instead of what it had of
 * processes with ends. Those of jobs of which all ranks are there are not kept. */
void message_delays_find(struct profile *profile);

/* Drops ends of a rank's profile, so that all ranks of the job have at most a few millions. */
void message_delays_bound(struct profile *profile);

#endif
