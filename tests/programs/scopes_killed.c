/* SIGKILL: entries up to it are there.
 * EXPECT signal KILL
 * EXPECT entries outer 1
 * EXPECT entries work 1000
 * EXPECT inside outer work 1000
 */
#include "program.h"

#include <ascribe/ascribe.h>
#include <signal.h>
#include <unistd.h>

int main(void) {
  ASCRIBE_SCOPE("outer");
  for (volatile int i = 0; i < 1000; i++) {
    ASCRIBE_SCOPE("work");
    NOT_A_TAIL();
  }
  kill(getpid(), SIGKILL);
}
