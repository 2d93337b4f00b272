/* What is missing in the symbols of which objects: those that miss the same stand in one line. */
#include "base/base_name.h"
#include "report/listing.h"

#include <string.h>

enum { NAMED = 5 };

/* Each message begins with its object's path. */
static const char *what_is_missing(const struct profile_object *object) {
  size_t length = strlen(object->path);
  bool begins = strncmp(object->message, object->path, length) == 0;
  return begins ? object->message + length : object->message;
}

static bool misses_the_same(const struct profile_object *a, const struct profile_object *b) {
  return strcmp(what_is_missing(a), what_is_missing(b)) == 0;
}

static bool is_first(const struct profile *profile, size_t id) {
  for (size_t i = 0; i < id; i++)
    if (profile->objects[i].message[0] &&
        misses_the_same(&profile->objects[i], &profile->objects[id]))
      return false;
  return true;
}

static void print_name(const struct listing *listing, const char *path) {
  text_name(listing->out, base_name(path), 0);
}

static void print_all_like(const struct listing *listing, size_t id) {
  const struct profile *profile = listing->model->profile;
  const struct profile_object *first = &profile->objects[id];
  size_t others = 0;
  for (size_t i = id + 1; i < profile->object_count; i++)
    others += profile->objects[i].message[0] && misses_the_same(&profile->objects[i], first);
  if (!others) {
    text_name(listing->out, first->message, 0);
    return;
  }
  size_t limit = listing->model->options->limit ? listing->model->options->limit : NAMED, named = 1;
  print_name(listing, first->path);
  for (size_t i = id + 1; i < profile->object_count && named < limit; i++) {
    if (!profile->objects[i].message[0] || !misses_the_same(&profile->objects[i], first)) continue;
    fputs(", ", listing->out);
    print_name(listing, profile->objects[i].path);
    named++;
  }
  if (others >= named) fprintf(listing->out, " and %zu more (--limit all)", others + 1 - named);
  fputs(": each", listing->out);
  text_name(listing->out, what_is_missing(first), 0);
}

void listing_symbol_notes(const struct listing *listing) {
  const struct profile *profile = listing->model->profile;
  for (size_t i = 0; i < profile->object_count; i++) {
    if (!profile->objects[i].message[0] || !is_first(profile, i)) continue;
    listing_label(listing, "symbols");
    print_all_like(listing, i);
    fputc('\n', listing->out);
  }
}
