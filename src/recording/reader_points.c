/* Counters of a language host's points: sums of all sets. */
#include "recording/reader_image.h"

static void add(struct image *image, struct counts *counts, uint64_t address, uint64_t count) {
  struct process_recording *process = &image->process;
  uint32_t index = map_find_or_add(&counts->points, address, 0, next_index(process->point_count));
  if (index == process->point_count) {
    ARRAY_GROW(process->points, process->point_count);
    process->points[process->point_count++] = (struct point_entry){.address = address};
  }
  process->points[index].count += count;
}

/* What counts of what the word at `i` counted. */
static uint64_t count_at(const struct recorded_points *record, const struct recorded_points *pauses,
                         uint32_t i) {
  if (record->in_pause) return 0;
  uint64_t count = record->counts[i];
  if (pauses)
    count = pauses->in_pause == ROW_PAUSED ? -pauses->counts[i] : count - pauses->counts[i];
  return count > INT64_MAX ? 0 : count; /* a damaged file */
}

static void read_record(struct image *image, struct counts *counts,
                        const struct recorded_points *record,
                        const struct recorded_points *pauses) {
  if ((record->bytes - sizeof *record) / (2 * sizeof *record->counts) < record->count) {
    image->process.truncated = 1;
    return;
  }
  const uint64_t *addresses = record->counts + record->count;
  for (uint32_t i = 0; i < record->count; i++)
    if (addresses[i] & IN_WORLD) add(image, counts, addresses[i], count_at(record, pauses, i));
}

void points_read(struct image *image, struct counts *counts, const struct block *block) {
  struct paused_stream stream;
  paused_stream_start(&stream, image, block);
  const struct recorded_points *record;
  const void *pauses;
  while ((record = paused_stream_record(&stream, sizeof *record, &pauses)))
    read_record(image, counts, record, pauses);
  image->process.truncated |= stream.records.failed;
  paused_stream_stop(&stream);
}
