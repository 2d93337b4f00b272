/* The text of source files: what other profiles keep, then what is on disk. */
#include <stdlib.h>

#include "store/source_origin.h"
#include "store/source_reader.h"
#include "store/source_text.h"
#include "store/writer_rows.h"

struct sources {
  struct writer *writer;
  struct source_budget budget;
  struct source_origins origins;
  struct map written; /* the profile's pointer -> 0 */
};

static int write_text(struct sources *sources, const char *path, const void *text, size_t bytes,
                      bool newer) {
  struct writer *writer = sources->writer;
  map_find_or_add(&sources->written, (uintptr_t)path, 0, 0);
  put_text(writer_row(writer), path);
  put_bytes(&writer->row, text, bytes);
  put_number(&writer->row, newer);
  return writer_write(writer);
}

static bool is_written(const struct sources *sources, const char *path) {
  return map_find(&sources->written, (uintptr_t)path, 0) != UINT32_MAX;
}

/* ---- texts of other profiles ---- */

static int write_kept_text(struct sources *sources, struct source_reader *reader,
                           const char *path) {
  struct source_copy copy;
  if (source_reader_get(reader, path, &copy, sources->writer->error) != 0) return -1;
  int result = 0;
  if (copy.text && copy.bytes <= sources->budget.total_bytes) {
    sources->budget.total_bytes -= copy.bytes;
    result = write_text(sources, path, copy.text, copy.bytes, copy.newer);
  }
  free(copy.text);
  return result;
}

static int write_texts_of(struct sources *sources, const char *profile) {
  const struct writer *writer = sources->writer;
  struct source_reader reader;
  struct stat status;
  sources->budget.closed |= stat(profile, &status) == 0 && source_is_closed(&status);
  int result = source_reader_open(&reader, profile, writer->error);
  for (size_t i = 0; result == 0 && i < writer->file_count; i++)
    if (!is_written(sources, writer->files[i]))
      result = write_kept_text(sources, &reader, writer->files[i]);
  source_reader_close(&reader);
  return result;
}

static int write_kept(struct sources *sources) {
  const struct kept_sources *kept = sources->writer->kept;
  for (size_t i = 0; i < kept->count; i++)
    if (write_texts_of(sources, kept->profiles[i]) != 0) return -1;
  return 0;
}

/* ---- files ---- */

static int write_file(struct sources *sources, const char *path) {
  size_t bytes;
  struct source_claim claim = source_claim_of(&sources->origins, path);
  char *text = source_text_read(path, &claim, &sources->budget, &bytes);
  if (!text) return 0;
  int result = write_text(sources, path, text, bytes, source_is_newer(&sources->origins, path));
  free(text);
  return result;
}

/* An imported file may name any file of this machine: what it names is not copied. */
static int write_files(struct sources *sources) {
  const struct writer *writer = sources->writer;
  if (writer->profile->origin.format) return 0;
  for (size_t i = 0; i < writer->file_count; i++)
    if (!is_written(sources, writer->files[i]) && write_file(sources, writer->files[i]) != 0)
      return -1;
  return 0;
}

int writer_sources(struct writer *writer) {
  struct sources sources = {.writer = writer, .budget = SOURCE_BUDGET};
  source_origins_open(&sources.origins, writer->profile);
  int result = writer_begin(writer, "raw_sources");
  if (result == 0) result = write_kept(&sources);
  if (result == 0) result = write_files(&sources);
  source_origins_close(&sources.origins);
  map_free(&sources.written);
  writer->closed = sources.budget.closed;
  return writer_end(writer, result);
}
