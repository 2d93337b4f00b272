/* What is shown of a program while `ascribe record` waits for it: the work of another process of
 * ours, which nothing of the recorder's waits for before the program has ended. */
#ifndef ASCRIBE_CLI_BESIDE_H
#define ASCRIBE_CLI_BESIDE_H

#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

struct recording_control;

struct beside_work {
  /* Of the recording in `directory`. `end` can be read when the program has ended; with
   * `until_saved` when its profile was saved, too, of which it then gives the path. */
  void (*show)(void *context, const char *directory, int end);
  void *context;
  bool until_saved;   /* and it goes on until it is told to end; else it ends with the program */
  bool owns_terminal; /* the program's input and output are not the terminal meanwhile */
};

/* While the work is done. */
struct beside {
  pid_t pid;               /* 0: there is none */
  int end;                 /* a pipe: closing it tells of the end */
  int files[3];            /* for the program (launch.h) */
  bool has_terminal;       /* whose settings the work may change */
  struct termios settings; /* as they were, if so */
};

/* Begin, before the program does. Work null: there is none. The other process gives up its part in
 * `control` (or null). It does not matter if it cannot be made, which is said. */
void beside_begin(const struct beside_work *work, const char *directory,
                  struct recording_control *control, struct beside *beside);

/* The program has ended: wait for work that ends with it. What the program wrote meanwhile follows
 * on our own standard output. */
void beside_note_end(const struct beside_work *work, struct beside *beside);

/* The profile was saved, or nothing was: wait for the work's end. */
void beside_finish(struct beside *beside);

#endif
