/* What must hold of anything that a fuzz target makes. */
#ifndef ASCRIBE_TESTS_REQUIRE_H
#define ASCRIBE_TESTS_REQUIRE_H

#include <stdio.h>
#include <stdlib.h>

#define require(condition)                                                                         \
  ((condition)                                                                                     \
       ? (void)0                                                                                   \
       : (fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition), abort()))

#endif
