/* Each format's reader is a file of its own, import_NAME.c, and stands once in this list, in the
 * order in which formats are tried. */
#ifndef ASCRIBE_EXCHANGE_IMPORT_FORMATS_H
#define ASCRIBE_EXCHANGE_IMPORT_FORMATS_H

#include "exchange/import.h"

/* clang-format off */
#define IMPORT_FORMATS(FORMAT) \
  FORMAT(perf_data) \
  FORMAT(gcov) \
  FORMAT(llvm_cov) \
  FORMAT(ghc_eventlog) \
  FORMAT(ghc_json) \
  FORMAT(ghc_prof) \
  FORMAT(ghc_hp) \
  FORMAT(chicken) \
  FORMAT(pprof) \
  FORMAT(gmon) \
  FORMAT(massif) \
  FORMAT(callgrind) \
  FORMAT(perf_script) \
  FORMAT(collapsed)
/* clang-format on */

#define DECLARE_FORMAT(name) extern const struct import_format import_##name;
IMPORT_FORMATS(DECLARE_FORMAT)
#undef DECLARE_FORMAT

#endif
