#include "attribution/counts/name_scope.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_name.h"
#include "base/count_before.h"

/* A function that may be meant by a name. */
struct scope_entry {
  size_t object;
  const struct counted_code *code;
  bool exported;
  struct symbol_version version;
  uint32_t next; /* of the same name, or NOTHING */
};

const struct counted_code *named_object_code(const struct named_object *object, uint64_t address) {
  const struct counted_code_list *list = object->list;
  size_t low = COUNT_BEFORE(list->count, i, list->code[i].address < address);
  bool found = address && low < list->count && list->code[low].address == address;
  return found ? &list->code[low] : NULL;
}

/* Several units may describe it, if the linker kept one of several copies. */
static bool is_entered(const struct named_object *object, const struct counted_code *code) {
  const struct counted_code *end = object->list->code + object->list->count;
  for (const struct counted_code *at = code; at < end && at->address == code->address; at++) {
    if (counter_entries(object->values, at)) return true;
    if (!at->address) break; /* it has no copies: others have no address either */
  }
  return false;
}

/* ---- the order of the search ---- */

static bool is_named(const struct named_object *object, const char *needed) {
  return (object->linkage->soname && strcmp(object->linkage->soname, needed) == 0) ||
         strcmp(base_name(object->path), needed) == 0;
}

/* Gives the objects that `first` needs, and it first, the numbers from `next` on. */
static size_t number(const struct name_scope *scope, size_t *order, size_t first, size_t next) {
  size_t *queue = memory_zeroed(scope->count, sizeof *queue), head = 0, tail = 0;
  if (order[first] == SIZE_MAX) {
    order[first] = next++;
    queue[tail++] = first;
  }
  for (; head < tail; head++) {
    const struct linkage *linkage = scope->objects[queue[head]].linkage;
    for (size_t i = 0; i < linkage->needed_count; i++)
      for (size_t k = 0; k < scope->count; k++)
        if (order[k] == SIZE_MAX && is_named(&scope->objects[k], linkage->needed[i])) {
          order[k] = next++;
          queue[tail++] = k;
        }
  }
  free(queue);
  return next;
}

static void set_order(struct name_scope *scope, const char *executable) {
  scope->order = memory_zeroed(scope->count, sizeof *scope->order);
  for (size_t i = 0; i < scope->count; i++)
    scope->order[i] = SIZE_MAX;
  for (size_t i = 0; i < scope->count; i++)
    if (strcmp(scope->objects[i].path, executable) == 0) number(scope, scope->order, i, 0);
}

/* ---- names ---- */

static void note(struct name_scope *scope, const char *name, size_t object,
                 const struct counted_code *code, bool exported, struct symbol_version version) {
  uint64_t key = (uintptr_t)pool_string(scope->pool, name);
  uint32_t id = map_find_or_add(&scope->names, key, 0, scope->name_count);
  if (id == scope->name_count) {
    ARRAY_GROW(scope->first, scope->name_count);
    scope->first[scope->name_count++] = NOTHING;
  }
  ARRAY_GROW(scope->named, scope->named_count);
  scope->named[scope->named_count] =
      (struct scope_entry){object, code, exported, version, scope->first[id]};
  scope->first[id] = scope->named_count++;
}

static void note_object(struct name_scope *scope, size_t index) {
  const struct named_object *object = &scope->objects[index];
  for (size_t i = 0; i < object->list->count; i++) {
    const struct counted_code *code = &object->list->code[i];
    if (code->is_public) note(scope, code->name, index, code, false, (struct symbol_version){0});
  }
  for (size_t i = 0; i < object->linkage->count; i++) {
    const struct linkage_name *name = &object->linkage->names[i];
    const struct counted_code *code =
        name->kind == LINKAGE_EXPORTED ? named_object_code(object, name->address) : NULL;
    if (code) note(scope, name->name, index, code, true, name->version);
  }
}

void name_scope_open(struct name_scope *scope, struct pool *pool,
                     const struct named_object *objects, size_t count, const char *executable) {
  *scope = (struct name_scope){.pool = pool, .objects = objects, .count = count};
  set_order(scope, executable);
  /* Last first, so that each list is in the order in which the objects were loaded. */
  for (size_t i = count; i-- > 0;)
    note_object(scope, i);
}

void name_scope_close(struct name_scope *scope) {
  free(scope->order);
  free(scope->first);
  free(scope->named);
  map_free(&scope->names);
}

/* ---- the search ---- */

/* What the linker has bound inside the object. `bound`: it was no other's; if it is, `asked` is the
 * version that the object asks for. */
static const struct counted_code *find_inside(const struct named_object *object, const char *name,
                                              bool *bound, const char **asked) {
  const struct linkage *linkage = object->linkage;
  const struct counted_code *found = NULL;
  *asked = NULL;
  for (size_t i = linkage_find(linkage, name);
       i < linkage->count && strcmp(linkage->names[i].name, name) == 0; i++) {
    *bound = linkage->names[i].kind != LINKAGE_IMPORTED;
    *asked = linkage->names[i].version.name;
    if (!*bound) return NULL;
    const struct counted_code *code = named_object_code(object, linkage->names[i].address);
    bool hidden = linkage->names[i].version.answers == VERSION_HIDDEN;
    if (code && code->is_public && !found && !hidden) found = code;
  }
  return found;
}

static size_t rank(const struct name_scope *scope, const size_t *local,
                   const struct scope_entry *entry) {
  size_t place = scope->order[entry->object];
  return place != SIZE_MAX ? place : scope->count + local[entry->object];
}

/* Where the search of a calling object comes to each object, when it has been through the
 * executable's. */
static size_t *local_order(const struct name_scope *scope, size_t from) {
  size_t *local = memory_zeroed(scope->count, sizeof *local);
  for (size_t i = 0; i < scope->count; i++)
    local[i] = SIZE_MAX;
  size_t next = from == SIZE_MAX ? 0 : number(scope, local, from, 0);
  for (size_t i = 0; i < scope->count; i++)
    if (local[i] == SIZE_MAX) local[i] = next++;
  return local;
}

/* Whether a call from an object that asks for a version (or null) can mean the entry (glibc's
 * do_lookup). */
static bool can_mean(const struct scope_entry *entry, size_t from, const char *asked) {
  const char *version = entry->version.name;
  if (!entry->exported) return entry->object == from;
  if (!asked) return entry->version.answers != VERSION_HIDDEN;
  return !version || strcmp(version, asked) == 0;
}

/* An unversioned request gets the older of two definitions in one object. */
static bool is_before(const struct scope_entry *left, const struct scope_entry *right) {
  return left->object == right->object && left->version.answers > right->version.answers;
}

/* Looks among definitions that were entered, if any was. */
static const struct scope_entry *look_up(const struct name_scope *scope, size_t from,
                                         uint32_t first, const char *asked) {
  const struct scope_entry *best = NULL;
  bool best_entered = false;
  size_t *local = NULL;
  for (uint32_t id = first; id != NOTHING; id = scope->named[id].next) {
    const struct scope_entry *entry = &scope->named[id];
    bool entered = is_entered(&scope->objects[entry->object], entry->code);
    if (!can_mean(entry, from, asked) || (best && best_entered > entered)) continue;
    if (best && best_entered == entered && !local) local = local_order(scope, from);
    if (!best || entered > best_entered || rank(scope, local, entry) < rank(scope, local, best) ||
        is_before(entry, best)) {
      best = entry;
      best_entered = entered;
    }
  }
  free(local);
  return best;
}

/* ld --wrap=NAME: calls of NAME go to __wrap_NAME, those of __real_NAME to NAME. */
static const char *unwrap(const struct named_object *object, const char *name, char *wrapped,
                          size_t room) {
  static const char real[] = "__real_";
  snprintf(wrapped, room, "__wrap_%s", name);
  if (linkage_find(object->linkage, wrapped) != object->linkage->count) return wrapped;
  bool is_real = strncmp(name, real, sizeof real - 1) == 0 &&
                 linkage_find(object->linkage, name) == object->linkage->count;
  return is_real ? name + sizeof real - 1 : name;
}

bool name_scope_find(const struct name_scope *scope, size_t from, const char *name,
                     const struct counted_code *here, size_t *object,
                     const struct counted_code **code) {
  char wrapped[4096];
  const char *asked = NULL;
  bool bound = false;
  *object = from;
  if (from != SIZE_MAX) {
    if (!here) name = unwrap(&scope->objects[from], name, wrapped, sizeof wrapped);
    const struct counted_code *inside = find_inside(&scope->objects[from], name, &bound, &asked);
    if (bound || (here && linkage_find(scope->objects[from].linkage, name) ==
                              scope->objects[from].linkage->count)) {
      *code = here ? here : inside;
      return *code;
    }
  }
  uint32_t id = map_find(&scope->names, (uintptr_t)pool_string(scope->pool, name), 0);
  const struct scope_entry *found =
      id == NOTHING ? NULL : look_up(scope, from, scope->first[id], asked);
  *code = found ? found->code : here;
  if (found) *object = found->object;
  return *code;
}
