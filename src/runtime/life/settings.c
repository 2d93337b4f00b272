#include "runtime/life/settings.h"

#include "recording/filters.h"
#include "runtime/registry/storage.h"
#include "runtime/registry/system.h"

#include <sys/utsname.h>

#define RATE_DEFAULT 1000
#define RATE_MOST 10000
#define TEXT_BYTES 8192

#define EVENT_NAME_BYTES 320

static struct {
  char command[TEXT_BYTES / 2];
  char event[EVENT_NAME_BYTES]; /* "": time */
  char executable[STORAGE_PATH_BYTES];
} kept;

static const char *value_of(const char *entry, const char *name) {
  while (*name && *entry == *name)
    entry++, name++;
  return *name == 0 && *entry == '=' ? entry + 1 : NULL;
}

static uint32_t parse_number(const char *text) {
  uint32_t number = 0;
  for (; *text >= '0' && *text <= '9' && number < UINT32_MAX / 10; text++)
    number = number * 10 + (uint32_t)(*text - '0');
  return number;
}

static uint32_t parse_rate(const char *text) {
  uint32_t rate = parse_number(text);
  return rate > RATE_MOST ? RATE_MOST : rate;
}

static const char *parse_hex(const char *at, uint64_t *value) {
  for (*value = 0; *at && *at != ':'; at++)
    *value = *value << 4 | (uint64_t)(*at <= '9' ? *at - '0' : *at - 'a' + 10);
  return *at ? at + 1 : at;
}

/* Their names are kept as they stand, with commas between them. */
static void parse_events(const char *text, struct perf_measures *events) {
  int kept_bytes = 0;
  for (int i = 0; i < EVENTS_MOST && *text; i++) {
    uint64_t type, config, kernel;
    const char *name = parse_hex(parse_hex(parse_hex(text, &type), &config), &kernel);
    if (!*name) return;
    events->list[i] = (struct perf_measure){
        .type = (uint32_t)type, .config = config, .chosen = true, .kernel = kernel};
    if (i) kept.event[kept_bytes++] = ',';
    for (; kept_bytes < EVENT_NAME_BYTES - 2 && *name && *name != ','; name++)
      kept.event[kept_bytes++] = *name;
    text = *name ? name + 1 : name;
  }
}

static bool is_same(const char *a, const char *b) {
  while (*a && *a == *b)
    a++, b++;
  return *a == *b;
}

void settings_read(char **environment, struct settings *settings) {
  const char *prepared = "";
  *settings = (struct settings){.rate_hz = RATE_DEFAULT};
  for (; environment && *environment; environment++) {
    const char *value;
    if ((value = value_of(*environment, "ASCRIBE_OUT")) && *value) settings->directory = value;
    if ((value = value_of(*environment, "ASCRIBE_RATE"))) settings->rate_hz = parse_rate(value);
    if ((value = value_of(*environment, "ASCRIBE_CLOCK"))) {
      settings->cycle_clock = is_same(value, "tsc");
      settings->host_clock = is_same(value, "host");
    }
    if ((value = value_of(*environment, "ASCRIBE_EVENT"))) parse_events(value, &settings->events);
    if ((value = value_of(*environment, "ASCRIBE_STACKS"))) settings->stacks = value[0] == '1';
    if ((value = value_of(*environment, "ASCRIBE_HEAP"))) settings->heap = parse_number(value);
    if ((value = value_of(*environment, "ASCRIBE_MPI"))) settings->mpi = value[0] == '1';
    if ((value = value_of(*environment, "ASCRIBE_LOOKER"))) settings->looker = parse_number(value);
    if ((value = value_of(*environment, FILTERS_VARIABLE))) settings->filters = value;
    if ((value = value_of(*environment, "ASCRIBE_CENTRES"))) settings->centres = value;
    if ((value = value_of(*environment, "ASCRIBE_STOPPED"))) settings->stopped = value[0] == '1';
    if ((value = value_of(*environment, "ASCRIBE_QUIET"))) settings->quiet = 1;
    if ((value = value_of(*environment, "ASCRIBE_PREPARED"))) prepared = value;
  }
  settings->prepared = settings->directory && is_same(settings->directory, prepared);
}

/* ---- a small writer of bounded text ---- */

struct text {
  char *at, *end;
};

static void put(struct text *text, const char *string) {
  while (*string && text->at < text->end)
    *text->at++ = *string++;
}

static void put_number(struct text *text, uint32_t number) {
  char digits[11];
  int n = 10;
  digits[n] = 0;
  do
    digits[--n] = (char)('0' + number % 10);
  while (number /= 10);
  put(text, digits + n);
}

static const char *reason(int status) {
  switch (-status) {
  case EPERM:
    return "permission denied; it must be this user's own, which no other can write (chmod go-w)";
  case EACCES:
    return "permission denied; choose a directory this user can write";
  case ENOSPC:
    return "no space there; free some or set ASCRIBE_OUT to another disk";
  case ENOENT:
    return "its parent directory does not exist; create it first";
  case ENOTDIR:
    return "it is not a directory, or it is a link to one; name the directory itself";
  case EFBIG:
    return "the limit on file size or address space is under 1 MiB (ulimit -f, ulimit -v)";
  case EREMOTE:
    return "it is on a network file system; a recording must be local (say, below /var/tmp)";
  case EROFS:
    return "the file system is read-only; set ASCRIBE_OUT to another one";
  case ENAMETOOLONG:
    return "the path is too long; choose a shorter one";
  case ENOMEM:
    return "there is not enough memory";
  case EMFILE:
  case ENFILE:
    return "too many files are open; allow more (ulimit -n)";
  }
  return NULL;
}

void settings_complain(const struct settings *settings, int status) {
  if (settings->quiet) return;
  char line[2 * STORAGE_PATH_BYTES];
  struct text text = {line, line + sizeof line};
  put(&text, "ascribe: not recording to ");
  put(&text, settings->directory);
  put(&text, ": ");
  if (reason(status))
    put(&text, reason(status));
  else {
    put(&text, "error ");
    put_number(&text, (uint32_t)-status);
  }
  put(&text, "\n");
  system_call3(SYS_write, 2, (long)line, text.at - line);
}

void settings_keep_text(int count, char **arguments) {
  struct text text = {kept.command, kept.command + sizeof kept.command - 1};
  for (int i = 0; i < count && arguments[i]; i++) {
    if (i) put(&text, " ");
    put(&text, arguments[i]);
  }
  *text.at = 0;
}

/* "key=value", zero-terminated. */
static void put_pair(struct text *text, const char *key, const char *value) {
  put(text, key);
  put(text, value);
  if (text->at < text->end) *text->at++ = 0;
}

/* The program's file, also in a child of fork. */
static const char *executable(void) {
  if (!kept.executable[0]) {
    long length = system_call3(SYS_readlink, (long)"/proc/self/exe", (long)kept.executable,
                               sizeof kept.executable - 1);
    kept.executable[system_failed(length) ? 0 : length] = 0;
  }
  return kept.executable;
}

static uint64_t length_of(const char *text) {
  uint64_t length = 0;
  while (text[length])
    length++;
  return length;
}

void settings_write_text(void) {
  char directory[STORAGE_PATH_BYTES];
  struct utsname names;
  if (system_failed(system_call3(SYS_getcwd, (long)directory, sizeof directory, 0)))
    directory[0] = 0;
  if (system_failed(system_call3(SYS_uname, (long)&names, 0, 0))) names.nodename[0] = 0;
  const struct {
    const char *key, *value;
  } pairs[] = {{"exe=", executable()},
               {"cwd=", directory},
               {"host=", names.nodename},
               {"command=", kept.command},
               {"event=", kept.event}};
  enum { PAIRS = sizeof pairs / sizeof *pairs };
  uint64_t bytes = 1;
  for (int i = 0; i < PAIRS; i++)
    bytes += length_of(pairs[i].key) + length_of(pairs[i].value) + 1;
  struct block_header *block =
      storage_claim(BLOCK_TEXT, bytes < TEXT_BYTES ? bytes : TEXT_BYTES, 0);
  if (!block) return;
  struct text text = {block_payload(block), (char *)block + block->bytes - 1};
  for (int i = 0; i < PAIRS; i++)
    put_pair(&text, pairs[i].key, pairs[i].value);
  block->used = (uint64_t)(text.at - (char *)block);
}
