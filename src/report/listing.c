
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/own_code.h"
#include "attribution/recorded/recorded_waits.h"
#include "base/base_name.h"
#include "report/columns.h"
#include "symbols/name_telling.h"

/* ---- names ---- */

/* Only where names may have to be shortened. */
static void find_telling(struct listing *listing) {
  size_t count = listing->model->function_count;
  if (!listing->terminal.width) return;
  const char **names = memory_zeroed(count, sizeof *names);
  listing->telling = memory_zeroed(count, sizeof *listing->telling);
  for (size_t i = 0; i < count; i++)
    names[i] = listing->model->profile->functions[listing->model->by_total[i]].name;
  names_tell(names, count, listing->telling);
  free(names);
}

struct name_part listing_telling(const struct listing *listing, uint32_t function) {
  uint32_t index = listing->model->index[function];
  return index && listing->telling ? listing->telling[index - 1] : (struct name_part){0};
}

/* Whether the object is a language host's world, and there is no other. */
static bool is_only_world(const struct profile *profile, uint32_t object) {
  if (profile->objects[object].kind != OBJECT_WORLD) return false;
  for (size_t i = 0; i < profile->object_count; i++)
    if (i != object && profile->objects[i].kind == OBJECT_WORLD) return false;
  return true;
}

/* " (FILE:LINE in OBJECT)" behind a name that others have, too. The file has to do where there is
 * little room, or where the object is the only world: it says nothing more there. */
static void name_origin(const struct listing *listing, uint32_t id, bool is_narrow, char *text,
                        size_t bytes) {
  const struct profile *profile = listing->model->profile;
  const struct profile_function *function = &profile->functions[id];
  char line[32] = "";
  text[0] = '\0';
  if (!listing->model->ambiguous[id]) return;
  if (function->line) snprintf(line, sizeof line, ":%u", function->line);
  if (function->column) snprintf(line, sizeof line, ":%u:%u", function->line, function->column);
  const char *file = function->file ? base_name(function->file) : "";
  bool has_object = function->object != NOTHING &&
                    !(*file && (is_narrow || is_only_world(profile, function->object)));
  const char *object = has_object ? base_name(profile->objects[function->object].path) : "";
  snprintf(text, bytes, " (%s%s%s%s%s)", file, *file ? line : "", *file && *object ? " " : "",
           *object ? "in " : "", object);
}

void listing_name(const struct listing *listing, uint32_t id, size_t width) {
  enum { LEAST = 12, ROOM_FOR_ORIGIN = 48 };
  char origin[512];
  name_origin(listing, id, width && width < ROOM_FOR_ORIGIN, origin, sizeof origin);
  size_t used = strlen(origin);
  if (width) width = width > used + LEAST ? width - used : LEAST;
  text_function(listing->out, listing->model->profile->functions[id].name,
                listing_telling(listing, id), width);
  text_name(listing->out, origin, 0);
}

void listing_path(const struct listing *listing, const char *path, size_t width) {
  text_name(listing->out, model_relative(listing->model, path), width);
}

const char *listing_inlined(const struct listing *listing, uint32_t function) {
  switch (listing->model->profile->functions[function].bodies) {
  case BODY_INLINED:
    return " inlined";
  case BODY_OWN | BODY_INLINED:
    return " partly inlined";
  default:
    return "";
  }
}

const char *listing_inlined_beside(const struct listing *listing, uint32_t function, size_t used) {
  enum { ENOUGH = 24 /* columns for a name */ };
  const char *inlined = listing_inlined(listing, function);
  size_t width = listing->terminal.width,
         name = strlen(listing->model->profile->functions[function].name);
  if (name > ENOUGH) name = ENOUGH;
  return width && used + name + strlen(inlined) > width ? "" : inlined;
}

size_t listing_name_width(const struct listing *listing, size_t used) {
  enum { LEAST = 16 };
  if (!listing->terminal.width) return 0;
  return listing->terminal.width > used + LEAST ? listing->terminal.width - used : LEAST;
}

void listing_entry_name(const struct listing *listing, uint32_t id, size_t used) {
  char number[16];
  used += (size_t)snprintf(number, sizeof number, " [%" PRIu32 "]", listing->model->index[id]);
  char hooks[HOOKS_BYTES];
  used += strlen(listing_hooks_text(listing, id, hooks));
  const char *inlined = listing_inlined_beside(listing, id, used);
  listing_name(listing, id, listing_name_width(listing, used + strlen(inlined)));
  fprintf(listing->out, "%s%s%s\n", number, inlined, hooks);
}

const char *listing_hooks_text(const struct listing *listing, uint32_t id, char text[HOOKS_BYTES]) {
  enum { WORTH_SAYING = 10 /* percent */ };
  uint64_t self = model_estimate(listing->model, listing->model->costs->functions[id].self).ns;
  struct range hooks = model_hooks(listing->model, id);
  double low = fmin(100, text_share(hooks.low, self)),
         high = fmin(100, text_share(hooks.high, self));
  *text = 0;
  if (high > WORTH_SAYING)
    snprintf(text, HOOKS_BYTES, " (hooks: %.0f to %.0f %% of self)", low, high);
  return text;
}

static void attribute(const struct listing *listing, const char *sequence) {
  if (listing->terminal.colour) fputs(sequence, listing->out);
}

void listing_bold(const struct listing *listing) {
  attribute(listing, "\033[1m");
}
void listing_dim(const struct listing *listing) {
  attribute(listing, "\033[2m");
}
void listing_plain(const struct listing *listing) {
  attribute(listing, "\033[0m");
}

void listing_heat(const struct listing *listing, struct amount whole, struct amount self,
                  struct amount total) {
  double all = whole.raw_ns ? whole.raw_ns : 1;
  double own = self.raw_ns / all, with_callees = total.raw_ns / all;
  if (own >= 0.05)
    attribute(listing, "\033[1;31m");
  else if (own >= 0.005 || with_callees >= 0.05)
    attribute(listing, "\033[33m");
  else if (!self.raw_ns && !total.raw_ns)
    attribute(listing, "\033[2m");
}

/* ---- figures ---- */

const char *listing_worth(const struct listing *listing) {
  if (profile_metric(listing->model->profile)->evidence == EVIDENCE_COUNTED) return "counted";
  if (listing->model->books.events && listing->model->books.measured) return "every one seen";
  return listing->model->books.evidence_unknown ? "uncertainty not known" : "+-: 95 % uncertainty";
}

static void print_title(const struct listing *listing, const char *name, const char *of) {
  const char *unit = model_unit(listing->model);
  fputc('\n', listing->out);
  listing_bold(listing);
  fprintf(listing->out, "%s%s", name, of);
  if (unit && listing->unit.ns > 1)
    fprintf(listing->out, ", in 10^%d %s", (int)lround(log10(listing->unit.ns)), unit);
  else if (unit)
    fprintf(listing->out, ", in %s", unit);
  fprintf(listing->out, " (%s)\n", listing_worth(listing));
  listing_plain(listing);
}

void listing_title(const struct listing *listing, const char *name) {
  print_title(listing, name, listing->model->wait_costs ? ", CPU time without waiting" : "");
}

void listing_title_of_both(const struct listing *listing, const char *name) {
  print_title(listing, name, ", CPU time and waiting");
}

void listing_title_by_calls(const struct listing *listing, const char *name) {
  fputc('\n', listing->out);
  listing_bold(listing);
  fprintf(listing->out, "%s, by calls\n", name);
  listing_plain(listing);
}

void listing_title_of(const struct listing *listing, const char *what, const char *name) {
  enum { WORTH = 24 /* " (+-: 95 % uncertainty)" */ };
  char title[1200], shorter[1024];
  size_t width = listing_name_width(listing, strlen(what) + WORTH);
  snprintf(title, sizeof title, "%s%s", what,
           width ? name_fit(name, (struct name_part){0}, width, shorter, sizeof shorter) : name);
  listing_title(listing, title);
}

void listing_open(struct listing *listing, const struct profile *profile,
                  const struct report_options *options, const struct terminal *terminal,
                  FILE *out) {
  *listing =
      (struct listing){.model = model_open(profile, options), .terminal = *terminal, .out = out};
  listing->unit = quantity_unit(model_unit(listing->model), model_whole_ns(listing->model));
  find_telling(listing);
  columns_choose(listing);
}

void listing_close(struct listing *listing) {
  model_close(listing->model);
  free(listing->telling);
}
