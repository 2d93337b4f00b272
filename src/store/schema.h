/* The schema of a profile file (docs/PROFILE.md).  Views are for users and stay as they are; the
 * tables raw_* may change with the version. */
#ifndef ASCRIBE_STORE_SCHEMA_H
#define ASCRIBE_STORE_SCHEMA_H

#define PROFILE_APPLICATION_ID 0x61736372 /* "ascr" */
/* Raised with every change of the tables; tests/unit/store.c holds on to that. */
#define PROFILE_SCHEMA_VERSION 24

/* Intervals stand in the file by their two ends. How far the further one is away from the figure, in
 * SQL: of the columns NAME_low_ns and NAME_high_ns, for the figure `ns`. */
#define SCHEMA_UNCERTAINTY(name, ns) "max(" name "_high_ns - " ns ", " ns " - " name "_low_ns)"

extern const char schema_tables[];
extern const char schema_views[];

#endif
