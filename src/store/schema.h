/* The schema of a profile file (docs/PROFILE.md).  Views are for users and stay as they are; they
 * are made of the tables of tables.h. */
#ifndef ASCRIBE_STORE_SCHEMA_H
#define ASCRIBE_STORE_SCHEMA_H

#define PROFILE_APPLICATION_ID 0x61736372 /* "ascr" */
/* Raised when a column changes its meaning. A column that is new, or has another name (tables.h),
 * does not: files without it are read, too. */
enum { PROFILE_SCHEMA_VERSION = 36, PROFILE_OLDEST_VERSION = 19 };

/* Intervals stand in the file by their two ends. How far the further one is away from the figure,
 * in SQL: of the columns NAME_low_ns and NAME_high_ns, for the figure `ns`. */
#define SCHEMA_UNCERTAINTY(name, ns) "max(" name "_high_ns - " ns ", " ns " - " name "_low_ns)"

/* The part of its callee's total by ratio that a row `s` of raw_sites has, in SQL: by the row `r`
 * of raw_ratio_calls with its caller and callee. A real number of ns. */
#define SCHEMA_RATIO_TOTAL "1.0 * r.total_ns * s.calls / r.calls"

extern const char schema_views[];

#endif
