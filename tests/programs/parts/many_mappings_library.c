#include "program.h"

KEEP int mapped_work(int n) {
  return n + 1;
}
