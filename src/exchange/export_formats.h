/* Each format's writer is a file of its own, export_NAME.c, and stands once in this list, in the
 * order in which formats are offered. */
#ifndef ASCRIBE_EXCHANGE_EXPORT_FORMATS_H
#define ASCRIBE_EXCHANGE_EXPORT_FORMATS_H

#include "exchange/export.h"

/* clang-format off */
#define EXPORT_FORMATS(FORMAT) \
  FORMAT(pprof) \
  FORMAT(callgrind) \
  FORMAT(collapsed) \
  FORMAT(speedscope) \
  FORMAT(flamegraph) \
  FORMAT(lcov) \
  FORMAT(gmon) \
  FORMAT(ghc_hp) \
  FORMAT(ghc_prof) \
  FORMAT(chicken)
/* clang-format on */

#define DECLARE_FORMAT(name) extern const struct export_format export_##name;
EXPORT_FORMATS(DECLARE_FORMAT)
#undef DECLARE_FORMAT

#endif
