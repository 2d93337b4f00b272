#include "runtime/objects/images.h"

#include "runtime/registry/system.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define IMAGES_MOST 4096
#define ANONYMOUS_MOST 1024
#define OPENINGS_MOST (2 * IMAGES_MOST) /* threads may open a place at once */

/* A file, the same for every place it is mapped at. */
struct image {
  const struct recorded_object *first; /* the object it was opened for: its path and build-id */
  const void *bytes;                   /* null: it cannot be read */
  uint64_t length;
};

/* Entries are never taken away or changed, but for what is atomic. */
struct place {
  uint64_t start, end;
  const struct image *image;          /* null: there were too many */
  const struct unwind_object *opened; /* atomic; null: nobody has asked for its tables yet */
  const struct recorded_object *recorded;
  int mapped; /* atomic */
};

/* The object of an address, found when it was first asked for. */
struct opening {
  struct unwind_object object;
  struct unwind_tables tables;
};

/* Both words are atomic.  Who reads one old and one new word takes other memory for code, or code
 * for other memory, for this once. */
struct range {
  uint64_t start, end;
};

static struct {
  struct range ranges[ANONYMOUS_MOST];
  uint32_t count;  /* atomic */
  uint32_t filled; /* of those that are being told */
  bool changed;
} anonymous;

static struct {
  struct image *images;
  uint32_t image_count;
  struct place *places;
  uint32_t place_count; /* atomic */
  struct opening *openings;
  uint32_t opening_count; /* atomic; more where there was no room */
} known;

bool images_start(void) {
  known.images = system_memory(IMAGES_MOST * sizeof *known.images);
  known.places = system_memory(IMAGES_MOST * sizeof *known.places);
  known.openings = system_memory(OPENINGS_MOST * sizeof *known.openings);
  return known.images && known.places && known.openings;
}

static bool same_bytes(const void *a, const void *b, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; i++)
    if (((const char *)a)[i] != ((const char *)b)[i]) return false;
  return true;
}

static bool same_path(const char *a, const char *b) {
  while (*a && *a == *b)
    a++, b++;
  return *a == *b;
}

static bool same_file(const struct recorded_object *a, const struct recorded_object *b) {
  return a->build_id_bytes == b->build_id_bytes && same_path(a->path, b->path) &&
         same_bytes(a->build_id, b->build_id, a->build_id_bytes);
}

/* The whole file; only what is read of it takes memory. Null on failure. */
static const void *map_file(const char *path, uint64_t *bytes) {
  struct stat status;
  long file = system_call3(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (system_failed(file)) return NULL;
  long memory = -1;
  if (!system_failed(system_call3(SYS_fstat, file, (long)&status, 0)) && S_ISREG(status.st_mode) &&
      status.st_size > 0)
    memory = system_call6(SYS_mmap, 0, status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  system_call3(SYS_close, file, 0, 0);
  *bytes = (uint64_t)status.st_size;
  return system_failed(memory) ? NULL : (const void *)memory;
}

static void open_image(struct image *image, const struct recorded_object *object) {
  image->first = object;
  if (same_path(object->path, "[vdso]")) {
    image->bytes = (const void *)object->start;
    image->length = object->end - object->start;
  } else if (object->path[0] == '/') {
    image->bytes = map_file(object->path, &image->length);
  }
}

static const struct image *image_of(const struct recorded_object *object) {
  for (uint32_t i = 0; i < known.image_count; i++)
    if (same_file(known.images[i].first, object)) return &known.images[i];
  if (known.image_count == IMAGES_MOST) return NULL;
  struct image *image = &known.images[known.image_count++];
  open_image(image, object);
  return image;
}

void images_add(const struct recorded_object *object) {
  if (!known.places) return;
  for (uint32_t i = 0; i < known.place_count; i++) {
    struct place *place = &known.places[i];
    if (place->start == object->start && place->end == object->end &&
        place->recorded->offset == object->offset && same_file(place->recorded, object)) {
      place->recorded = object;
      __atomic_store_n(&place->mapped, 1, __ATOMIC_RELEASE);
      return;
    }
  }
  if (known.place_count == IMAGES_MOST) return;
  struct place *place = &known.places[known.place_count];
  place->start = object->start;
  place->end = object->end;
  place->image = image_of(object);
  place->recorded = object;
  place->mapped = 1;
  /* Release pairs with the acquire in images_find. */
  __atomic_store_n(&known.place_count, known.place_count + 1, __ATOMIC_RELEASE);
}

void images_remove(const struct recorded_object *object) {
  for (uint32_t i = 0; i < known.place_count; i++)
    if (known.places[i].recorded == object)
      __atomic_store_n(&known.places[i].mapped, 0, __ATOMIC_RELEASE);
}

void images_begin_anonymous(void) {
  anonymous.filled = 0;
  anonymous.changed = false;
}

static void put(uint64_t *word, uint64_t value) {
  if (*word == value) return;
  __atomic_store_n(word, value, __ATOMIC_RELAXED);
  anonymous.changed = true;
}

/* Neighbours are one: such memory is given and taken in pieces. */
void images_add_anonymous(uint64_t start, uint64_t end) {
  if (anonymous.filled && anonymous.ranges[anonymous.filled - 1].end == start) {
    put(&anonymous.ranges[anonymous.filled - 1].end, end);
    return;
  }
  if (anonymous.filled == ANONYMOUS_MOST) return;
  put(&anonymous.ranges[anonymous.filled].start, start);
  put(&anonymous.ranges[anonymous.filled].end, end);
  anonymous.filled++;
}

bool images_end_anonymous(void) {
  anonymous.changed |= anonymous.filled != anonymous.count;
  __atomic_store_n(&anonymous.count, anonymous.filled, __ATOMIC_RELEASE);
  return anonymous.changed;
}

static bool is_anonymous(uint64_t address) {
  uint32_t count = __atomic_load_n(&anonymous.count, __ATOMIC_ACQUIRE);
  for (uint32_t i = 0; i < count; i++)
    if (address >= __atomic_load_n(&anonymous.ranges[i].start, __ATOMIC_RELAXED) &&
        address < __atomic_load_n(&anonymous.ranges[i].end, __ATOMIC_RELAXED))
      return true;
  return false;
}

/* Most objects are never met by a tick, and to find tables takes pages of the file. Claim, fill,
 * publish: several threads may be at it, and the first one's stays. */
static const struct unwind_object *open_place(struct place *place) {
  const struct image *image = place->image;
  uint32_t n = __atomic_fetch_add(&known.opening_count, 1, __ATOMIC_RELAXED);
  if (n >= OPENINGS_MOST) {
    __atomic_store_n(&known.opening_count, OPENINGS_MOST, __ATOMIC_RELAXED);
    return NULL;
  }
  struct opening *opening = &known.openings[n];
  opening->object = (struct unwind_object){.start = place->start, .end = place->end};
  if (image && image->bytes &&
      unwind_tables_open(&opening->tables, image->bytes, image->length) == 0 &&
      unwind_tables_bias(&opening->tables, place->start, place->end - place->start,
                         place->recorded->offset, &opening->object.bias) == 0)
    opening->object.tables = &opening->tables;
  const struct unwind_object *none = NULL;
  /* Release pairs with the acquire in opened. */
  if (__atomic_compare_exchange_n(&place->opened, &none, &opening->object, false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE))
    return &opening->object;
  return none;
}

static const struct unwind_object *opened(struct place *place) {
  const struct unwind_object *object = __atomic_load_n(&place->opened, __ATOMIC_ACQUIRE);
  return object ? object : open_place(place);
}

const struct unwind_object *images_find(const void *unused, uint64_t address) {
  (void)unused;
  uint32_t count = __atomic_load_n(&known.place_count, __ATOMIC_ACQUIRE);
  for (uint32_t i = 0; i < count; i++) {
    struct place *place = &known.places[i];
    if (address >= place->start && address < place->end &&
        __atomic_load_n(&place->mapped, __ATOMIC_ACQUIRE))
      return opened(place);
  }
  static const struct unwind_object without_tables = {.end = UINT64_MAX};
  return is_anonymous(address) ? &without_tables : NULL;
}
