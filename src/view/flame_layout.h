/* Which frames of a flame graph are wide enough to be seen, and where they are. */
#ifndef ASCRIBE_VIEW_FLAME_LAYOUT_H
#define ASCRIBE_VIEW_FLAME_LAYOUT_H

#include "view/flame_tree.h"
#include "view/id_set.h"

enum { FLAME_MOST_FRAMES = 5000, FLAME_MOST_DEPTH = 1000 };

/* Functions are sets of ids: those of one name. */
struct flame_selection {
  const struct id_set *focus;       /* null: none */
  const struct id_set *const *root; /* the way to the frame that has the whole width */
  size_t root_length;
  uint32_t thread; /* 0: all */
  uint32_t around; /* a function: only what it called, or bottom-up only what called it; 0: all */
  bool bottom_up;
};

struct flame_frame {
  uint32_t depth; /* below the root, from 0 */
  uint32_t function;
  uint64_t start_ns, total_ns, self_ns;
  bool fold; /* its function stands below it in the graph, too */
};

struct flame_layout {
  struct flame_frame *frames; /* each before what is above it */
  size_t count;
  uint64_t whole_ns, root_ns; /* of the selection, and of its root */
  uint64_t left_out_ns;       /* self time that is in no frame of its own */
};

/* Lay the tree out; frames narrower than a share of `least` of the root are left out. To be freed
 * with flame_layout_free. */
void flame_layout_make(const struct flame_tree *tree, const struct flame_selection *selection,
                       double least, struct flame_layout *layout);
void flame_layout_free(struct flame_layout *layout);

#endif
