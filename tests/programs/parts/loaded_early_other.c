/* Called while its library is being relocated. */
#include "program.h"

int early_choose(void);
KEEP int early_choose(void) {
  return 1;
}
