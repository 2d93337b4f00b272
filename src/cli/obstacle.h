/* Programs that cannot be recorded, told by their files. */
#ifndef ASCRIBE_CLI_OBSTACLE_H
#define ASCRIBE_CLI_OBSTACLE_H

/* Ways to record a program. */
enum road {
  ROAD_INSIDE,  /* by the runtime, which is loaded into it */
  ROAD_OUTSIDE, /* from outside, by this user */
  ROAD_ANY      /* any way at all, by any user */
};

/* Why a program, found as execvp finds it, cannot be recorded that way, in words that continue
 * "PROGRAM ".  Null where nothing speaks against it. */
const char *obstacle_find(const char *program, enum road road);

#endif
