#include "exchange/printed_date.h"

#include <time.h>

uint64_t printed_date_read(const char *text, const char *format) {
  struct tm date = {.tm_isdst = -1};
  if (!strptime(text, format, &date)) return 0;
  time_t seconds = mktime(&date);
  return seconds > 0 ? (uint64_t)seconds * 1000000000 : 0;
}

const char *printed_date_text(uint64_t ns, const char *format, char text[PRINTED_DATE_BYTES]) {
  time_t seconds = (time_t)(ns / 1000000000);
  struct tm date;
  if (!ns || !localtime_r(&seconds, &date) || !strftime(text, PRINTED_DATE_BYTES, format, &date))
    text[0] = '\0';
  return text;
}
