#include "cli/output_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int cannot_write(const struct output_file *file, int cause, struct error *error) {
  if (file->fixed) return error_set(error, "%s cannot be written: %s", file->path, strerror(cause));
  const char *advice = cause == ENOSPC || cause == EDQUOT ? "make room, or name another place with"
                       : cause == EFBIG                   ? "raise ulimit -f, or name a pipe with"
                                                          : "name another place with";
  return error_set(error, "%s cannot be written: %s; %s -o FILE",
                   strcmp(file->path, "-") == 0 ? "standard output" : file->path, strerror(cause),
                   advice);
}

/* With the mode that any new file would have. */
static int create_beside(struct output_file *file) {
  if (snprintf(file->beside, sizeof file->beside, "%s.XXXXXX", file->path) >=
      (int)sizeof file->beside) {
    errno = ENAMETOOLONG;
    return -1;
  }
  int descriptor = mkstemp(file->beside);
  if (descriptor < 0) return -1;
  mode_t mask = umask(0);
  umask(mask);
  fchmod(descriptor, 0666 & ~mask);
  return descriptor;
}

static int open_stream(struct output_file *file) {
  struct stat status;
  if (strcmp(file->path, "-") == 0) {
    file->stream = stdout;
    return 0;
  }
  if (stat(file->path, &status) == 0 && !S_ISREG(status.st_mode)) {
    file->stream = fopen(file->path, "we");
    return file->stream ? 0 : -1;
  }
  int descriptor = create_beside(file);
  file->stream = descriptor < 0 ? NULL : fdopen(descriptor, "w");
  return file->stream ? 0 : -1;
}

static int open_named(struct output_file *file, struct error *error) {
  struct sigaction ignore = {.sa_handler = SIG_IGN};
  if (open_stream(file) != 0) return cannot_write(file, errno, error);
  /* A limit on file sizes is an error to report, not a reason to die. */
  sigaction(SIGXFSZ, &ignore, &file->limit);
  return 0;
}

int output_file_open(struct output_file *file, const char *path, struct error *error) {
  *file = (struct output_file){.path = path};
  return open_named(file, error);
}

int output_file_open_fixed(struct output_file *file, const char *path, struct error *error) {
  *file = (struct output_file){.path = path, .fixed = true};
  return open_named(file, error);
}

/* The error of the first write that failed, or 0.  stdio keeps no errno, so it is asked again. */
static int end_writing(struct output_file *file) {
  errno = 0;
  bool failed = ferror(file->stream);
  if (failed) {
    clearerr(file->stream);
    fputc('\n', file->stream);
  }
  failed |= fflush(file->stream) != 0;
  int cause = failed ? (errno ? errno : EIO) : 0;
  if (file->stream != stdout && fclose(file->stream) != 0 && !cause) cause = errno;
  return cause;
}

int output_file_close(struct output_file *file, int result, struct error *error) {
  int cause = end_writing(file);
  bool whole = !result && !cause;
  sigaction(SIGXFSZ, &file->limit, NULL);
  if (whole && file->beside[0] && rename(file->beside, file->path) != 0) cause = errno;
  if (whole && !cause) return 0;
  if (file->beside[0]) unlink(file->beside);
  return result ? result : cannot_write(file, cause, error);
}
