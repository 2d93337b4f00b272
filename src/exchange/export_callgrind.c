/* The format of callgrind, for KCachegrind and callgrind_annotate.
 * Source: Valgrind manual, "Callgrind Format Specification".
 *
 * Readers take a function's inclusive cost from the calls that lead to it.  So that all functions
 * have some, what starts threads is a function too. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/callgrind_rows.h"
#include "exchange/export_formats.h"
#include "exchange/text_ids.h"

static const char unknown[] = "???"; /* as callgrind writes it */

/* Names of one kind.  A name is written in full when it comes for the first time. */
struct names {
  struct text_ids ids;
  size_t written;
};

struct callgrind {
  const struct export_data *data;
  FILE *out;
  struct names objects, files, functions;
  const char *file; /* of the cost lines that are being written */
};

static void write_name(FILE *out, const char *key, struct names *names, uint32_t id) {
  if (id < names->written) {
    fprintf(out, "%s=(%u)\n", key, id + 1);
    return;
  }
  fprintf(out, "%s=(%u) %s\n", key, id + 1, names->ids.texts[id]);
  names->written++;
}

static void write_place(struct callgrind *callgrind, const char *key, struct names *names,
                        const char *place) {
  bool known = place && *place;
  write_name(callgrind->out, key, names,
             known ? text_id_of_profile(&names->ids, place) : text_id(&names->ids, unknown));
}

static const char *file_of(const struct callgrind *callgrind, uint32_t function) {
  return function == NOTHING ? NULL : callgrind->data->profile->functions[function].file;
}

/* Object, file and name: which function something is about, or which it calls. */
static void write_function(struct callgrind *callgrind, const char *const keys[3], uint32_t id) {
  const struct profile *profile = callgrind->data->profile;
  uint32_t object = id == NOTHING ? NOTHING : profile->functions[id].object;
  const char *name = id == NOTHING ? "<spontaneous>" : callgrind->data->names[id];
  write_place(callgrind, keys[0], &callgrind->objects,
              object == NOTHING ? NULL : profile->objects[object].path);
  write_place(callgrind, keys[1], &callgrind->files, file_of(callgrind, id));
  write_name(callgrind->out, keys[2], &callgrind->functions,
             text_id(&callgrind->functions.ids, name));
}

static bool same_text(const char *a, const char *b) {
  return a == b || (a && b && strcmp(a, b) == 0);
}

/* Code that comes from another file than its function. */
static void enter_file(struct callgrind *callgrind, const struct callgrind_row *row) {
  const char *own = file_of(callgrind, row->function);
  const char *file = row->place.line ? row->place.file : own;
  if (same_text(file, callgrind->file)) return;
  write_place(callgrind, same_text(file, own) ? "fe" : "fi", &callgrind->files, file);
  callgrind->file = file;
}

static void write_row(struct callgrind *callgrind, const struct callgrind_row *row) {
  static const char *const callee_keys[] = {"cob", "cfi", "cfn"};
  enter_file(callgrind, row);
  if (row->callee != NOTHING) {
    write_function(callgrind, callee_keys, row->callee);
    fprintf(callgrind->out, "calls=%" PRIu64 " %u\n", row->calls,
            callgrind->data->profile->functions[row->callee].line);
  }
  fprintf(callgrind->out, "%u %" PRIu64 " %" PRIu64 "\n", row->place.line, row->ns, row->ticks);
}

static void write_rows(struct callgrind *callgrind) {
  static const char *const keys[] = {"ob", "fl", "fn"};
  size_t count;
  struct callgrind_row *rows = callgrind_rows(callgrind->data, &count);
  for (size_t i = 0; i < count; i++) {
    if (i == 0 || rows[i].function != rows[i - 1].function) {
      fputc('\n', callgrind->out);
      write_function(callgrind, keys, rows[i].function);
      callgrind->file = file_of(callgrind, rows[i].function);
    }
    write_row(callgrind, &rows[i]);
  }
  free(rows);
}

/* Names of events are words. */
static void write_event_name(FILE *out, const char *unit) {
  for (; *unit; unit++)
    fputc(isalnum((unsigned char)*unit) ? *unit : '_', out);
}

static void write_events(const struct export_data *data, FILE *out) {
  const char *unit = data->unit && *data->unit ? data->unit : "ns";
  fputs("event: ", out);
  write_event_name(out, unit);
  fprintf(out, " : %s%s\nevents: ", data->event, data->unit ? "" : " time in nanoseconds");
  write_event_name(out, unit);
  fputs(" ticks\n", out);
}

static const char *about_calls(const struct export_data *data) {
  static const char *const texts[] = {
      [SITE_COUNTS_NONE] = "functions that were not counted have 1 as calls",
      [SITE_COUNTS_UNKNOWN] = "calls of a thread or below a focus are unknown, and written as 1",
      [SITE_COUNTS_KNOWN] = ("functions that were not counted have 1 as calls; 0: the function was "
                             "counted, but this caller was only seen in sampled stacks")};
  return texts[export_site_counts(data)];
}

static void write_head(const struct export_data *data, FILE *out) {
  const struct profile *profile = data->profile;
  fprintf(out, "# callgrind format\nversion: 1\ncreator: ascribe\n");
  if (profile->process_count) fprintf(out, "pid: %u\n", profile->processes[0].pid);
  fprintf(out, "cmd: %s\npart: 1\n\n", data->title);
  for (size_t i = 0; data->remarks[i]; i++)
    fprintf(out, "desc: %s\n", data->remarks[i]);
  fprintf(out, "desc: %s\n", about_calls(data));
  fputs("desc: recursion is folded: inclusive costs hold each function once\n"
        "positions: line\n"
        "event: ticks : Samples\n",
        out);
  write_events(data, out);
  fprintf(out, "summary: %" PRIu64 " %" PRIu64 "\n", data->ns, data->all.ticks);
}

static int write_callgrind(const struct export_data *data, FILE *out, struct error *error) {
  struct callgrind callgrind = {.data = data,
                                .out = out,
                                .objects.ids.pool = data->pool,
                                .files.ids.pool = data->pool,
                                .functions.ids.pool = data->pool};
  write_head(data, out);
  write_rows(&callgrind);
  fprintf(out, "\ntotals: %" PRIu64 " %" PRIu64 "\n", data->ns, data->all.ticks);
  text_ids_free(&callgrind.objects.ids);
  text_ids_free(&callgrind.files.ids);
  text_ids_free(&callgrind.functions.ids);
  return 0;
}

const struct export_format export_callgrind = {
    "callgrind", ".callgrind", "KCachegrind, callgrind_annotate", EXPORT_ANY, write_callgrind};
