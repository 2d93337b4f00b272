/* See scopes_library.c. */
#include <ascribe/ascribe.h>

int part(int n) {
  ASCRIBE_SCOPE("part");
  return n;
}
