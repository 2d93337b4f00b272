#include "cli/merge_files.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/option_tables.h"
#include "cli/profile_file.h"
#include "cli/profile_output.h"
#include "report/report.h"

static int take_option(void *at, int option) {
  struct merge_request *request = at;
  switch (option) {
  case OPTION_OUTPUT:
    request->output = optarg;
    return 0;
  case OPTION_FORCE:
    request->force = true;
    return 0;
  case OPTION_QUIET:
    request->quiet = true;
    return 0;
  default:
    return OPTION_UNTAKEN;
  }
}

void merge_request_add(struct merge_request *request, const char *file) {
  ARRAY_GROW(request->files, request->file_count);
  request->files[request->file_count++] = memory_text(file);
}

/* A name, or what matches it. 0; -1: wrong use, said. */
static int add_files(struct merge_request *request, const char *name) {
  glob_t matching = {0};
  if (access(name, F_OK) == 0 || !strpbrk(name, "*?[")) {
    merge_request_add(request, name);
    return 0;
  }
  if (glob(name, 0, NULL, &matching) != 0) return wrong_use("no file matches %s", name);
  for (size_t i = 0; i < matching.gl_pathc; i++)
    merge_request_add(request, matching.gl_pathv[i]);
  globfree(&matching);
  return 0;
}

void merge_request_free(struct merge_request *request) {
  for (size_t i = 0; i < request->file_count; i++)
    free(request->files[i]);
  free(request->files);
}

int merge_request_parse(int count, char **arguments, void (*more)(FILE *out),
                        struct merge_request *request) {
  int result = options_take(&options_merge, take_option, more, count, arguments, request);
  if (result != 0) return result;
  for (int i = optind; i < count; i++)
    if (add_files(request, arguments[i]) != 0) return -1;
  if (!request->output) return wrong_use("name the output with -o");
  return request->file_count < 2 ? wrong_use("at least two profiles are needed") : 0;
}

void merge_files_begin(struct merge_files *files, bool force) {
  *files = (struct merge_files){.merge = merge_begin(), .force = force};
}

int merge_files_add(struct merge_files *files, const char *path, const char *name,
                    struct error *error) {
  struct profile *profile;
  struct error reason;
  if (!profile_file_is_stored(path))
    return error_set(
        error, "%s: only whole profiles are merged, and recordings once they are saved", name);
  if (store_load_series(path, &profile, &reason) != 0) {
    fprintf(stderr, "%s: %s; it is left out\n", command_name(), reason.text);
    files->left_out++;
    return 0;
  }
  int result = merge_add(files->merge, profile, name, files->force, error);
  profile_free(profile);
  if (result != 0) return -1;
  ARRAY_GROW(files->added, files->added_count);
  files->added[files->added_count++] = path;
  return 0;
}

struct profile *merge_files_sum(struct merge_files *files) {
  struct profile *sum = merge_finish(files->merge);
  files->merge = NULL;
  return sum;
}

struct kept_sources merge_files_sources(const struct merge_files *files) {
  return (struct kept_sources){files->added, files->added_count};
}

int merge_files_save(struct merge_files *files, const struct merge_request *request,
                     struct error *error) {
  const struct kept_sources kept = merge_files_sources(files);
  struct profile_output output = {
      .asked = request->output, .usual = request->usual, .sources = &kept};
  struct profile *profile = merge_files_sum(files);
  int result = profile_output_save(&output, profile, error);
  if (result == 0 && !request->quiet) {
    report_merged_summary(profile, stderr);
    profile_output_say(&output);
  }
  profile_free(profile);
  return result;
}

void merge_files_end(struct merge_files *files) {
  if (files->merge) merge_discard(files->merge);
  free(files->added);
}
