#include "exchange/eventlog.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum {
  TYPES = 1 << 16,
  VARIABLE = 0xffff, /* as a type's size: each event has its own */
  MOST_WORDS = 1 << 16,
  HEAD_BYTES = 10 /* of an event: its type and its time */
};

#define UNDECLARED UINT32_MAX

/* A time that is later than all before by a hundred days is none. */
#define MOST_PAUSE_NS (UINT64_C(86400000000000) * 100)

/* ---- numbers ---- */

static uint64_t big_endian(const unsigned char *bytes, size_t count) {
  uint64_t number = 0;
  for (size_t i = 0; i < count; i++)
    number = number << 8 | bytes[i];
  return number;
}

uint64_t eventlog_number(struct eventlog *log, size_t bytes) {
  if (bytes > log->left) {
    log->is_short = true;
    log->left = 0;
    return 0;
  }
  uint64_t number = big_endian(log->payload, bytes);
  log->payload += bytes;
  log->left -= bytes;
  return number;
}

const char *eventlog_text(struct eventlog *log) {
  const char *text = (const char *)log->payload;
  const char *end = log->left ? memchr(text, '\0', log->left) : NULL;
  if (!end) {
    log->is_short = true;
    log->left = 0;
    return "";
  }
  log->left -= (size_t)(end + 1 - text);
  log->payload = (const unsigned char *)end + 1;
  return text;
}

/* ---- the header ---- */

static int wrong(const struct eventlog *log, const char *what) {
  return error_set(log->error, "%s: byte %llu: %s", log->input->name,
                   (unsigned long long)log->input->used, what);
}

/* The next bytes of the header; null: the file ends before, which is said. */
static const unsigned char *head_bytes(struct eventlog *log, size_t count) {
  const char *bytes;
  if (input_peek(log->input, count, &bytes) < count) {
    wrong(log, "the log ends in its header");
    return NULL;
  }
  input_use(log->input, count);
  return (const unsigned char *)bytes;
}

static int expect(struct eventlog *log, const char *word) {
  const unsigned char *bytes = head_bytes(log, 4);
  if (!bytes) return -1;
  return memcmp(bytes, word, 4) == 0 ? 0 : wrong(log, "the header is damaged");
}

/* Texts that say what a type is. */
static int skip_words(struct eventlog *log) {
  const unsigned char *bytes = head_bytes(log, 4);
  if (!bytes) return -1;
  uint64_t count = big_endian(bytes, 4);
  if (count > MOST_WORDS) return wrong(log, "the header is damaged");
  return head_bytes(log, count) ? 0 : -1;
}

static int declare_type(struct eventlog *log) {
  const unsigned char *bytes = head_bytes(log, 4);
  if (!bytes) return -1;
  log->sizes[big_endian(bytes, 2)] = (uint32_t)big_endian(bytes + 2, 2);
  if (skip_words(log) != 0 || skip_words(log) != 0) return -1;
  return expect(log, "ete");
}

int eventlog_open(struct eventlog *log, struct input *input, struct error *error) {
  *log = (struct eventlog){.input = input, .error = error};
  log->sizes = memory_resized(NULL, TYPES, sizeof *log->sizes);
  for (size_t i = 0; i < TYPES; i++)
    log->sizes[i] = UNDECLARED;
  if (expect(log, "hdrb") != 0 || expect(log, "hetb") != 0) return -1;
  for (const unsigned char *word; (word = head_bytes(log, 4));) {
    if (memcmp(word, "hete", 4) == 0)
      return expect(log, "hdre") != 0 || expect(log, "datb") != 0 ? -1 : 0;
    if (memcmp(word, "etb", 4) != 0) return wrong(log, "the header is damaged");
    if (declare_type(log) != 0) return -1;
  }
  return -1;
}

void eventlog_close(struct eventlog *log) {
  free(log->sizes);
}

bool eventlog_matches(const char *start, size_t count) {
  return count >= 8 && memcmp(start, "hdrbhetb", 8) == 0;
}

/* ---- events ---- */

int eventlog_error(const struct eventlog *log, const char *what) {
  return error_set(log->error, "%s: byte %llu: %s (event of type %u)", log->input->name,
                   (unsigned long long)log->at, what, log->type);
}

int eventlog_damaged(const struct eventlog *log) {
  return eventlog_error(log, "the log is damaged, as by a tick that met a sample of the heap in a "
                             "program that was linked without -threaded");
}

void eventlog_give_back(struct eventlog *log) {
  input_use(log->input, (size_t)-1);
}

/* The log ends without its mark. */
static int cut_off(const struct eventlog *log) {
  const struct input *input = log->input;
  if (!input->failure) return 0;
  return error_set(log->error, "%s cannot be read: %s", input->name, strerror(input->failure));
}

int eventlog_next(struct eventlog *log) {
  const char *bytes;
  size_t count = input_peek(log->input, HEAD_BYTES + 2, &bytes), head = HEAD_BYTES;
  const unsigned char *start = (const unsigned char *)bytes;
  log->at = log->input->used;
  if (count < 2) return cut_off(log);
  log->type = (uint32_t)big_endian(start, 2);
  log->has_end = log->type == EVENTLOG_END;
  if (log->has_end) return 0;
  if (log->sizes[log->type] == UNDECLARED) return eventlog_damaged(log);
  size_t size = log->sizes[log->type];
  if (size == VARIABLE) head += 2;
  if (count < head) return cut_off(log);
  if (size == VARIABLE) size = big_endian(start + HEAD_BYTES, 2);
  log->time_ns = big_endian(start + 2, 8);
  if (log->time_ns > log->last_ns + MOST_PAUSE_NS) return eventlog_damaged(log);
  if (log->time_ns > log->last_ns) log->last_ns = log->time_ns;
  if (count < head + size) count = input_peek(log->input, head + size, &bytes);
  if (count < head + size) return cut_off(log);
  log->payload = (const unsigned char *)bytes + head;
  log->left = size;
  log->is_short = false;
  input_use(log->input, head + size);
  return 1;
}
