/* The event log of a Haskell program: a header that declares the size of each type of event, then
 * events, all in big-endian order. Events that a reader does not know are skipped by that size.
 * Source: GHC User's Guide, "Eventlog encodings". */
#ifndef ASCRIBE_EXCHANGE_EVENTLOG_H
#define ASCRIBE_EXCHANGE_EVENTLOG_H

#include "exchange/input.h"

/* The numbers of the types that are read here. */
enum eventlog_type {
  EVENTLOG_PROGRAM_ARGUMENTS = 30,
  EVENTLOG_PROCESS = 32,
  EVENTLOG_WALL_CLOCK = 43,
  EVENTLOG_MARKER = 58,
  EVENTLOG_HEAP_BEGIN = 160,
  EVENTLOG_COST_CENTRE = 161,
  EVENTLOG_SAMPLE_BEGIN = 162,
  EVENTLOG_SAMPLE_STACK = 163,
  EVENTLOG_SAMPLE_TEXT = 164,
  EVENTLOG_SAMPLE_END = 165,
  EVENTLOG_BIOGRAPHY_BEGIN = 166,
  EVENTLOG_TIME_SAMPLE = 167,
  EVENTLOG_TIME_BEGIN = 168,
  EVENTLOG_INFO_TABLE = 169,
  EVENTLOG_END = 0xffff /* of the log */
};

struct eventlog {
  struct input *input;
  struct error *error;
  uint32_t *sizes; /* of payloads, by type, as the header declares them */
  bool has_end;    /* the mark behind the last event was read */
  /* the event at hand */
  uint32_t type;
  uint64_t time_ns; /* since the program began */
  uint64_t last_ns; /* the latest of all events until then */
  uint64_t at;      /* its place in the file, in bytes */
  /* what was not read of its payload yet */
  const unsigned char *payload;
  size_t left;
  bool is_short; /* more was read than it has: the results were 0 and "" */
};

/* Reads the header. Returns -1 with the error set. eventlog_close is due afterwards. */
int eventlog_open(struct eventlog *log, struct input *input, struct error *error);
void eventlog_close(struct eventlog *log);

/* The next event. 1; 0: the log ends here, with its mark or without; -1 with the error set. */
int eventlog_next(struct eventlog *log);

/* The next part of the payload, which stays valid until the next event. Of 1, 2, 4 or 8 bytes; a
 * text with a zero behind it. */
uint64_t eventlog_number(struct eventlog *log, size_t bytes);
const char *eventlog_text(struct eventlog *log);

/* The last byte of the payload belongs to the next event, after all. */
void eventlog_give_back(struct eventlog *log);

/* An error at the event at hand. Returns -1. */
int eventlog_error(const struct eventlog *log, const char *what);
int eventlog_damaged(const struct eventlog *log);

/* Whether a file that begins so is a log. */
bool eventlog_matches(const char *start, size_t count);

#endif
