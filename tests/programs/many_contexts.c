/* More contexts than anybody wants: everything stays counted, and bounded.
 * EXPECT levels -O2
 * EXPECT output done
 * EXPECT recording-below 1 GiB
 */
#include "parts/maze.h"

int main(void) {
  for (unsigned i = 0; i < 40000; i++)
    maze[i & 31](24, i * 2654435761u);
  puts("done");
  expect("calls-like maze_%% %ld", maze_calls);
  return 0;
}
