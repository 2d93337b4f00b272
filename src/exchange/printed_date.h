/* Dates in the heads of other tools' files: local time. */
#ifndef ASCRIBE_EXCHANGE_PRINTED_DATE_H
#define ASCRIBE_EXCHANGE_PRINTED_DATE_H

#include <stdint.h>

/* As for strftime. */
#define GHC_DATE "%a %b %e %H:%M %Y"
#define PERF_DATE "%a %b %e %H:%M:%S %Y"

/* The date that begins at `text`, in nanoseconds since 1970. 0: there is none. */
uint64_t printed_date_read(const char *text, const char *format);

/* "" of 0, which is not known. */
enum { PRINTED_DATE_BYTES = 40 };
const char *printed_date_text(uint64_t ns, const char *format, char text[PRINTED_DATE_BYTES]);

#endif
