#include "attribution/tail_calls/skipped_frames.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/call_sites.h"

/* More code than this was not looked at: then more than one chain is possible. */
enum { LONGEST_SKIPPED = 16, MOST_LOOKED_AT = 200 };

struct skipped_list {
  size_t first;
  uint32_t count;
};

struct code {
  uint32_t object;
  uint64_t address; /* of a function, link-time */
};

/* A function of a chain, and where it leaves. */
struct step {
  struct code code;
  uint64_t jump; /* link-time address behind the jump; 0: there are several, or it is not known */
};

struct chain {
  uint32_t length;
  struct step steps[LONGEST_SKIPPED];
};

struct search {
  struct places *places;
  uint32_t end, end_object; /* the function that is looked for */
  struct chain path, found;
  unsigned found_count, looked_at;
};

/* ---- code ---- */

/* A function that is named is looked for where it is called, and where the chain ends: libraries
 * are not supposed to jump back to the program's functions. */
static bool find_code(const struct search *search, uint32_t object,
                      const struct call_target *target, struct code *code) {
  struct symbol_file **files = search->places->files;
  *code = (struct code){object, target->address};
  if (!code->address) code->address = symbol_file_named_function(files[object], target->name);
  if (code->address) return true;
  code->object = search->end_object;
  code->address = symbol_file_named_function(files[search->end_object], target->name);
  return code->address != 0;
}

static bool is_end(const struct search *search, const struct code *code) {
  return places_met(search->places, code->object, code->address) == search->end;
}

static bool is_same(const struct code *a, const struct code *b) {
  return a->object == b->object && a->address == b->address;
}

static bool is_on_path(const struct chain *path, const struct code *code) {
  for (uint32_t i = 0; i < path->length; i++)
    if (is_same(&path->steps[i].code, code)) return true;
  return false;
}

/* ---- chains ---- */

/* The targets of a function's tail calls, each once. */
static bool read_steps(const struct search *search, const struct code *from, struct step **steps,
                       size_t *step_count) {
  struct tail_call *calls;
  size_t count;
  *steps = NULL;
  *step_count = 0;
  if (symbol_file_tail_calls(search->places->files[from->object], from->address, &calls, &count) !=
      0)
    return false;
  bool known = true;
  for (size_t i = 0; i < count; i++) {
    struct step step = {.jump = calls[i].end};
    known &= calls[i].target.address || calls[i].target.name;
    if (!known || !find_code(search, from->object, &calls[i].target, &step.code)) continue;
    size_t same = 0;
    while (same < *step_count && !is_same(&(*steps)[same].code, &step.code))
      same++;
    if (same < *step_count) {
      (*steps)[same].jump = 0;
      continue;
    }
    ARRAY_GROW(*steps, *step_count);
    (*steps)[(*step_count)++] = step;
  }
  free(calls);
  return known;
}

static bool visit(struct search *search, struct code code);

/* Take a step from the path's last function. */
static bool take(struct search *search, const struct step *step) {
  struct chain *path = &search->path;
  path->steps[path->length - 1].jump = step->jump;
  if (is_end(search, &step->code)) {
    search->found = *path;
    return ++search->found_count == 1;
  }
  return is_on_path(path, &step->code) || visit(search, step->code);
}

/* Continue the path at a function. False: the answer cannot be known. */
static bool visit(struct search *search, struct code code) {
  struct step *steps;
  size_t count;
  bool known = search->path.length < LONGEST_SKIPPED && ++search->looked_at <= MOST_LOOKED_AT;
  if (!known) return false;
  known = read_steps(search, &code, &steps, &count);
  search->path.steps[search->path.length++].code = code;
  for (size_t i = 0; known && i < count; i++)
    known = take(search, &steps[i]);
  search->path.length--;
  free(steps);
  return known;
}

/* ---- frames ---- */

static void add_frame(struct skipped_frames *skipped, const struct place_frame *frame) {
  ARRAY_GROW(skipped->frames, skipped->frame_count);
  skipped->frames[skipped->frame_count++] = *frame;
}

static void add_step(struct skipped_frames *skipped, const struct step *step) {
  struct places *places = skipped->places;
  uint64_t address = step->jump ? step->jump - 1 : step->code.address;
  uint32_t place = places_in(places, step->code.object, address), count;
  const struct place_frame *frames = places_frames(places, place, &count);
  for (uint32_t i = 0; step->jump && i < count; i++)
    add_frame(skipped, &frames[i]);
  if (!step->jump) add_frame(skipped, &(struct place_frame){.function = frames[0].function});
}

/* What a call names; false: a pointer, or not known. */
static bool find_named(const struct search *search, const struct place *call, struct code *code) {
  struct symbol_file *file = search->places->files[call->object];
  struct call_target target;
  return symbol_file_call_target(file, call->link_address + 1, &target) == 0 &&
         find_code(search, call->object, &target, code);
}

static bool find_chain(struct search *search, const struct place *call) {
  struct code code;
  if (!find_named(search, call, &code) || is_end(search, &code)) return false;
  return visit(search, code) && search->found_count == 1;
}

static struct search search_for(struct skipped_frames *skipped, const struct place *entered) {
  return (struct search){
      .places = skipped->places, .end = entered->function, .end_object = entered->object};
}

static void find_list(struct skipped_frames *skipped, const struct place *call,
                      const struct place *entered) {
  struct search search = search_for(skipped, entered);
  if (!call->link_address || !entered->link_address || !find_chain(&search, call)) return;
  for (uint32_t i = 0; i < search.found.length; i++)
    add_step(skipped, &search.found.steps[i]);
}

const struct place_frame *skipped_frames_find(struct skipped_frames *skipped, uint32_t call,
                                              uint32_t entered, uint32_t *count) {
  /* Looking may add places, which moves them. */
  const struct place from = *places_get(skipped->places, call);
  const struct place to = *places_get(skipped->places, entered);
  *count = 0;
  if (to.function == NOTHING || from.object == NOTHING || to.object == NOTHING) return NULL;
  uint32_t id = map_find_or_add(&skipped->known, call, to.function, skipped->list_count);
  if (id == skipped->list_count) {
    struct skipped_list list = {.first = skipped->frame_count};
    find_list(skipped, &from, &to);
    list.count = skipped->frame_count - list.first;
    ARRAY_GROW(skipped->lists, skipped->list_count);
    skipped->lists[skipped->list_count++] = list;
  }
  *count = skipped->lists[id].count;
  return skipped->frames + skipped->lists[id].first;
}

bool skipped_frames_names(struct skipped_frames *skipped, uint32_t call, uint32_t entered) {
  const struct place from = *places_get(skipped->places, call);
  const struct place to = *places_get(skipped->places, entered);
  struct search search = search_for(skipped, &to);
  struct code code;
  if (!from.link_address || !to.link_address) return false;
  return find_named(&search, &from, &code) && is_end(&search, &code);
}

bool skipped_frames_may_lead(struct skipped_frames *skipped, uint32_t from, uint32_t to) {
  const struct place start = *places_get(skipped->places, from);
  const struct place end = *places_get(skipped->places, to);
  struct search search = search_for(skipped, &end);
  struct symbol symbol;
  if (!start.link_address || !end.link_address ||
      symbol_file_function(skipped->places->files[start.object], start.link_address, &symbol) != 0)
    return true;
  bool known = visit(&search, (struct code){start.object, symbol.address});
  return !known || search.found_count;
}

void skipped_frames_close(struct skipped_frames *skipped) {
  map_free(&skipped->known);
  free(skipped->lists);
  free(skipped->frames);
}
