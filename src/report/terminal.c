#include "report/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* stderr is a stream of ours, which cleans messages (cli/message_stream.c): it has no descriptor.
 */
static int descriptor_of(FILE *out) {
  return out == stderr ? STDERR_FILENO : fileno(out);
}

static unsigned width_of(FILE *out) {
  struct winsize size;
  int descriptor = descriptor_of(out);
  if (descriptor < 0 || !isatty(descriptor)) return 0;
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static bool has_colours(FILE *out) {
  const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");
  int descriptor = descriptor_of(out);
  if (descriptor < 0 || !isatty(descriptor) || (no_colour && *no_colour)) return false;
  return terminal && *terminal && strcmp(terminal, "dumb") != 0;
}

struct terminal terminal_of(FILE *out) {
  return (struct terminal){width_of(out), has_colours(out)};
}
