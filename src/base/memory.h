/* Memory of the tool. When there is none left the process says so and ends with status 1: a report
 * cannot go on, and a profiled program has a process of its own. The runtime and the unwinder,
 * which live in programs of others, never call these. */
#ifndef ASCRIBE_BASE_MEMORY_H
#define ASCRIBE_BASE_MEMORY_H

#include <stddef.h>

/* Says that memory ran out and exits. Every function below does so when an allocation fails. */
_Noreturn void memory_exhausted(void);

/* calloc, realloc, strdup, strndup and asprintf that do not return null; the result is freed with
 * free(). */
void *memory_zeroed(size_t count, size_t size);
void *memory_resized(void *memory, size_t count, size_t size);
char *memory_text(const char *text);
char *memory_text_part(const char *text, size_t most);
char *memory_printed(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The array with room for at least `wanted` elements of `size` bytes each (size > 0); it may have
 * moved. An array's room is what the allocator gave it, so that nobody keeps that beside it: any
 * array of malloc's may grow, and is freed with free(). It grows by doubling; the room beyond its
 * elements is uninitialised. */
void *array_grown(void *array, size_t wanted, size_t size);

/* Room for `wanted` elements; for one more behind the first `count`. */
#define ARRAY_ROOM(array, wanted)                                                                  \
  ((void)((array) = array_grown((array), (wanted), sizeof *(array))))
#define ARRAY_GROW(array, count) ARRAY_ROOM(array, (size_t)(count) + 1)

#endif
