/* ascribe html: a profile as one page, to keep or to send. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/output_file.h"
#include "cli/profile_file.h"
#include "view/standalone.h"

static const char usage[] =
    "usage: ascribe html [options] [FILE [OTHER]]\n"
    "\n"
    "Write FILE, a profile or a recording, as one page for any browser, which needs no server and\n"
    "no network; with OTHER, how that differs.\n"
    "Without FILE: the newest *.ascribe here. The page says what it leaves out of large profiles.\n"
    "\n"
    "  -o, --output OUT  write to OUT; - is standard output (default: FILE with .html)\n"
    "  -h, --help        show this\n";

enum { STATUS_WRONG_USE = 2 };

struct request {
  const char *file, *other, *output; /* or null */
};

/* 0: go on; 1: help was shown; -1: wrong use, said. */
static int parse_options(int count, char **arguments, struct request *request) {
  static const struct option known[] = {
      {"output", required_argument, NULL, 'o'}, {"help", no_argument, NULL, 'h'}, {0}};
  int option;
  while ((option = getopt_long(count, arguments, "o:h", known, NULL)) != -1) {
    switch (option) {
    case 'o':
      request->output = optarg;
      break;
    case 'h':
      fputs(usage, stdout);
      return 1;
    default: /* getopt has said what is wrong */
      fputs("try: ascribe html --help\n", stderr);
      return -1;
    }
  }
  if (count - optind > 2) {
    fputs("ascribe html: two profiles at most: see ascribe html --help\n", stderr);
    return -1;
  }
  request->file = optind < count ? arguments[optind] : NULL;
  request->other = optind + 1 < count ? arguments[optind + 1] : NULL;
  return 0;
}

/* FILE.html, without the folder and .ascribe. */
static char *default_output(const char *file) {
  size_t all = strlen(file), suffix = strlen(".ascribe");
  while (all > 1 && file[all - 1] == '/') /* a recording's directory */
    all--;
  const char *slash = memrchr(file, '/', all), *name = slash && all > 1 ? slash + 1 : file;
  size_t length = file + all - name;
  if (length > suffix && strcmp(name + length - suffix, ".ascribe") == 0) length -= suffix;
  char *output = NULL;
  return asprintf(&output, "%.*s.html", (int)length, name) < 0 ? NULL : output;
}

static int write_page(const char *file, const char *other, const char *output,
                      struct error *error) {
  static const char command[] = "ascribe html";
  struct view view;
  struct output_file out;
  int result = view_open(&view, error);
  if (result == 0) result = profile_file_add(&view.workspace, file, command, error);
  if (result == 0 && other) result = profile_file_add(&view.workspace, other, command, error);
  if (result == 0 && (result = output_file_open(&out, output, error)) == 0) {
    result = standalone_write(&view, out.stream, error);
    result = output_file_close(&out, result, error);
  }
  view_close(&view);
  return result;
}

int command_html(int count, char **arguments) {
  static char name[] = "ascribe html"; /* for getopt's messages */
  struct request request = {0};
  struct error error = {"out of memory"};
  char *file = NULL, *output = NULL;
  arguments[0] = name;
  int parsed = parse_options(count, arguments, &request);
  if (parsed != 0) return parsed > 0 ? 0 : STATUS_WRONG_USE;
  int result = profile_file_find(request.file, &file, &error);
  if (result == 0 && !request.output && !(output = default_output(file))) result = -1;
  if (result == 0)
    result = write_page(file, request.other, request.output ? request.output : output, &error);
  if (result != 0) fprintf(stderr, "ascribe html: %s\n", error.text);
  free(file);
  free(output);
  return result == 0 ? 0 : 1;
}
