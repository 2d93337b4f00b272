#include "compare/line_map.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/count_before.h"
#include "base/hash_index.h"
#include "base/memory.h"

struct line {
  const char *text;
  uint32_t length;
  uint32_t number; /* from 0 */
  uint64_t hash;
};

struct text {
  struct line *lines;  /* by number */
  struct line *sorted; /* by hash */
  size_t count;
};

/* ---- texts ---- */

static bool is_blank(char letter) {
  return letter == ' ' || letter == '\t' || letter == '\r';
}

static struct line line_of(const char *begin, const char *end, uint32_t number) {
  while (begin < end && is_blank(*begin))
    begin++;
  while (begin < end && is_blank(end[-1]))
    end--;
  uint64_t hash = 14695981039346656037ull; /* FNV-1a */
  for (const char *at = begin; at < end; at++)
    hash = (hash ^ (unsigned char)*at) * 1099511628211ull;
  return (struct line){begin, (uint32_t)(end - begin), number, hash_mix(hash)};
}

static int by_hash(const void *x, const void *y) {
  const struct line *a = x, *b = y;
  if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
  return (a->number > b->number) - (a->number < b->number);
}

static void split(const char *string, struct text *text) {
  while (*string) {
    const char *end = strchrnul(string, '\n');
    ARRAY_GROW(text->lines, text->count);
    text->lines[text->count] = line_of(string, end, text->count);
    text->count++;
    string = *end ? end + 1 : end;
  }
  if (!text->count) return;
  ARRAY_ROOM(text->sorted, text->count);
  memcpy(text->sorted, text->lines, text->count * sizeof *text->sorted);
  qsort(text->sorted, text->count, sizeof *text->sorted, by_hash);
}

static void release(struct text *text) {
  free(text->lines);
  free(text->sorted);
}

static bool same(const struct line *a, const struct line *b) {
  return a->hash == b->hash && a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

/* ---- lines that both have once ---- */

struct pair {
  uint32_t before, after;
  uint32_t previous; /* in the series that ends here */
};

static size_t end_of_group(const struct text *text, size_t begin) {
  size_t end = begin + 1;
  while (end < text->count && text->sorted[end].hash == text->sorted[begin].hash)
    end++;
  return end;
}

static int by_line(const void *x, const void *y) {
  const struct pair *a = x, *b = y;
  return (a->before > b->before) - (a->before < b->before);
}

static size_t pair_unique(const struct text *before, const struct text *after, struct pair *pairs) {
  size_t count = 0, i = 0, k = 0;
  while (i < before->count && k < after->count) {
    const struct line *a = &before->sorted[i], *b = &after->sorted[k];
    size_t a_end = end_of_group(before, i), b_end = end_of_group(after, k);
    if (a->hash == b->hash && a_end == i + 1 && b_end == k + 1 && same(a, b))
      pairs[count++] = (struct pair){a->number, b->number, 0};
    if (a->hash <= b->hash) i = a_end;
    if (b->hash <= a->hash) k = b_end;
  }
  qsort(pairs, count, sizeof *pairs, by_line);
  return count;
}

/* The longest series of pairs in which `after` rises, too. ends[n]: the pair with the least `after`
 * that ends a series of n + 1. */
static void keep_series(struct pair *pairs, size_t count, uint32_t *ends, uint32_t *lines) {
  size_t longest = 0;
  for (uint32_t i = 0; i < count; i++) {
    size_t low = COUNT_BEFORE(longest, end, pairs[ends[end]].after < pairs[i].after);
    pairs[i].previous = low ? ends[low - 1] : UINT32_MAX;
    ends[low] = i;
    if (low == longest) longest++;
  }
  for (uint32_t i = longest ? ends[longest - 1] : UINT32_MAX; i != UINT32_MAX;
       i = pairs[i].previous)
    lines[pairs[i].before] = pairs[i].after + 1;
}

/* ---- and what is equal around them ---- */

static void grow_down(const struct text *before, const struct text *after, uint32_t *lines) {
  uint32_t next = 0; /* of `after`, behind the last pair */
  for (size_t i = 0; i < before->count; i++) {
    if (lines[i])
      next = lines[i];
    else if (next < after->count && (i == 0 || lines[i - 1]) &&
             same(&before->lines[i], &after->lines[next]))
      lines[i] = ++next;
  }
}

static void grow_up(const struct text *before, const struct text *after, uint32_t *lines) {
  uint32_t taken = 0; /* the last line of `after` before this gap that has a partner */
  uint32_t *above = memory_zeroed(before->count, sizeof *above);
  for (size_t i = 0; i < before->count; i++) {
    above[i] = taken;
    if (lines[i]) taken = lines[i];
  }
  uint32_t last = after->count + 1;
  for (size_t i = before->count; i-- > 0;) {
    bool touches = i + 1 == before->count || lines[i + 1];
    if (lines[i])
      last = lines[i];
    else if (touches && last > above[i] + 1 && same(&before->lines[i], &after->lines[last - 2]))
      lines[i] = --last;
  }
  free(above);
}

uint32_t *line_map_make(const char *before, const char *after, size_t *count) {
  struct text a = {0}, b = {0};
  split(before, &a);
  split(after, &b);
  uint32_t *lines = memory_zeroed(a.count, sizeof *lines);
  uint32_t *ends = memory_zeroed(a.count, sizeof *ends);
  struct pair *pairs = memory_zeroed(a.count, sizeof *pairs);
  keep_series(pairs, pair_unique(&a, &b, pairs), ends, lines);
  grow_down(&a, &b, lines);
  grow_up(&a, &b, lines);
  *count = a.count;
  free(ends);
  free(pairs);
  release(&a);
  release(&b);
  return lines;
}
