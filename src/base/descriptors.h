/* How many files may be open. */
#ifndef ASCRIBE_BASE_DESCRIPTORS_H
#define ASCRIBE_BASE_DESCRIPTORS_H

/* From now on as many as the user may have: events and threads that are looked at take one each.
 * What runs already, and what is recorded, keeps its own limit. */
void descriptors_allow(void);

#endif
