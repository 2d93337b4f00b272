/* Trees of calls that do nothing else, bare and with each kind of hook. What the hooks add to a
 * tree is what they cost where nothing hides them. One thread at a time; signal-safe. */
#ifndef ASCRIBE_RUNTIME_HOOK_TREES_H
#define ASCRIBE_RUNTIME_HOOK_TREES_H

#define TREE_DEPTH 5
#define TREE_CALLS ((2u << TREE_DEPTH) - 1)
#define TREE_COUNTERS 32 /* that each call passes: the cost of a single one would be hidden */

void hook_trees_prepare(void);

void tree_bare(unsigned depth);
void tree_hooked(unsigned depth);  /* ascribe/hook.h, as the plugin emits it */
void tree_framed(unsigned depth);  /* ascribe/hooks_inline.h */
void tree_counted(unsigned depth); /* counters */

#endif
