/* Lines of `perf script`.
 * Source: perf-script(1), and what perf 4.9 to 6.x print. */
#ifndef ASCRIBE_EXCHANGE_PERF_TEXT_H
#define ASCRIBE_EXCHANGE_PERF_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* Texts are parts of the line, which is cut into pieces for that. */
struct perf_sample {
  const char *command;
  uint32_t pid, tid; /* pid 0: not told */
  const char *event; /* with its modifiers; null: not told */
  uint64_t period;   /* 0: not told */
  char *rest;        /* what follows: a frame, where perf prints the sample on one line; or "" */
};

/* "COMMAND PID/TID [CPU] TIME: PERIOD EVENT: ..."; all but COMMAND and a number may be missing. */
bool perf_sample_parse(char *line, struct perf_sample *sample);

/* Whether a line begins a sample, as far as its ids and what follows them tell. */
bool perf_is_sample(const char *line);

struct perf_frame {
  char *symbol;       /* without "+0x12" */
  const char *object; /* null: not told, as of inlined frames */
  bool inlined;
};

/* "  ADDRESS SYMBOL+0xOFFSET (OBJECT)" or "  ADDRESS SYMBOL (inlined)"; false if it is no frame. */
bool perf_frame_parse(char *line, struct perf_frame *frame);

struct perf_source {
  const char *file;
  uint32_t line;
};

/* "  FILE:LINE", as the field `srcline` prints below a frame. */
bool perf_source_parse(char *line, struct perf_source *source);

#endif
