/* ascribe merge: profiles of several runs of one program as one. */
#include "cli/commands.h"
#include "cli/merge_files.h"

static int merge_all(const struct merge_request *request, struct merge_files *files,
                     struct error *error) {
  for (size_t i = 0; i < request->file_count; i++)
    if (merge_files_add(files, request->files[i], request->files[i], error) != 0) return -1;
  return files->added_count > 1 ? merge_files_save(files, request, error)
                                : error_set(error, MERGE_TOO_FEW);
}

int command_merge(int count, char **arguments) {
  struct merge_request request = {0};
  struct merge_files files;
  struct error error;
  int parsed = merge_request_parse(count, arguments, NULL, &request);
  if (parsed != 0) return parsed > 0 ? 0 : STATUS_WRONG_USE;
  merge_files_begin(&files, request.force);
  int result = merge_all(&request, &files, &error);
  bool all = !files.left_out;
  merge_files_end(&files);
  merge_request_free(&request);
  if (result != 0) return command_failed(&error);
  return all ? 0 : 1;
}
