/* Each format's writer, one per file. */
#ifndef ASCRIBE_EXCHANGE_EXPORT_FORMATS_H
#define ASCRIBE_EXCHANGE_EXPORT_FORMATS_H

#include "exchange/export.h"

extern const struct export_format export_pprof, export_callgrind, export_collapsed,
    export_speedscope, export_flamegraph, export_lcov, export_gmon;

#endif
