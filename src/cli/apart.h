/* Work in a child of ours: that libraries end there, for want of memory or of stack, or by a file
 * that they do not bear, ends nothing else. */
#ifndef ASCRIBE_CLI_APART_H
#define ASCRIBE_CLI_APART_H

/* Returns what `work` returned, as 0 or -1, which has said why; -1 too if it did not come back,
 * which is said here. Where no child can be made it is done in this process. */
int apart(int (*work)(void *), void *argument);

#endif
