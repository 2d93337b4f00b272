/* Each format's reader, one per file. */
#ifndef ASCRIBE_EXCHANGE_IMPORT_FORMATS_H
#define ASCRIBE_EXCHANGE_IMPORT_FORMATS_H

#include "exchange/import.h"

extern const struct import_format import_perf_data, import_perf_script, import_pprof,
    import_callgrind, import_collapsed, import_gcov, import_llvm_cov, import_gmon;

#endif
