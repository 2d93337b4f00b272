#include "symbols/symbol_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/count_before.h"
#include "base/memory.h"
#include "symbols/demangle.h"

void symbol_table_add(struct symbol_table *table, uint64_t address, uint64_t size,
                      const char *linkage, uint32_t preference) {
  ARRAY_GROW(table->symbols, table->count);
  if (size > UINT64_MAX - address) size = 0;
  table->symbols[table->count++] = (struct table_symbol){
      .address = address, .size = size, .linkage = linkage, .preference = preference};
}

/* By address; at one address the one to be kept first. */
static int by_choice(const void *left, const void *right) {
  const struct table_symbol *a = left, *b = right;
  if (a->address != b->address) return a->address < b->address ? -1 : 1;
  if (a->preference != b->preference) return a->preference > b->preference ? -1 : 1;
  size_t a_underscores = strspn(a->linkage, "_"), b_underscores = strspn(b->linkage, "_");
  if (a_underscores != b_underscores) return a_underscores < b_underscores ? -1 : 1;
  size_t a_length = strlen(a->linkage), b_length = strlen(b->linkage);
  if (a_length != b_length) return a_length < b_length ? -1 : 1;
  return strcmp(a->linkage, b->linkage);
}

/* Note the names at the chosen symbol's address that are as good as its own: it is the first of
 * `count` sorted ones. */
static void note_aliases(struct symbol_table *table, const struct table_symbol *symbols,
                         size_t count, struct table_symbol *chosen) {
  size_t first = table->alias_count, equal = 1;
  while (equal < count && symbols[equal].preference == chosen->preference)
    equal++;
  for (size_t i = 0; equal > 1 && i < equal; i++) {
    ARRAY_GROW(table->aliases, table->alias_count);
    table->aliases[table->alias_count++] = symbols[i].linkage;
  }
  chosen->first_alias = (uint32_t)first;
  chosen->alias_count = (uint32_t)(table->alias_count - first);
}

/* Keep the chosen symbol of each address, with the largest size that any of them states, and no
 * symbol of size 0 that lies inside another: such are labels. */
static void keep_chosen(struct symbol_table *table) {
  size_t kept = 0, next;
  uint64_t covered = 0; /* end of the code of the symbols so far */
  for (size_t i = 0; i < table->count; i = next) {
    struct table_symbol chosen = table->symbols[i];
    for (next = i; next < table->count && table->symbols[next].address == chosen.address; next++)
      if (table->symbols[next].size > chosen.size) chosen.size = table->symbols[next].size;
    if (chosen.size == 0 && chosen.address < covered) continue;
    if (chosen.address + chosen.size > covered) covered = chosen.address + chosen.size;
    note_aliases(table, &table->symbols[i], next - i, &chosen);
    table->symbols[kept++] = chosen;
  }
  table->count = kept;
}

static uint64_t section_end(const struct code_section *sections, size_t count, uint64_t address) {
  size_t low = COUNT_BEFORE(count, i, sections[i].end <= address);
  return low < count && sections[low].start <= address ? sections[low].end : address;
}

static void extend_unsized(struct symbol_table *table, const struct code_section *sections,
                           size_t section_count) {
  for (size_t i = 0; i < table->count; i++) {
    struct table_symbol *symbol = &table->symbols[i];
    if (symbol->size != 0) continue;
    uint64_t end = section_end(sections, section_count, symbol->address);
    if (i + 1 < table->count && table->symbols[i + 1].address < end)
      end = table->symbols[i + 1].address;
    symbol->size = end - symbol->address;
  }
}

static void add_range(struct symbol_table *table, uint64_t start, uint64_t end, uint32_t symbol) {
  if (start >= end) return;
  ARRAY_GROW(table->ranges, table->range_count);
  table->ranges[table->range_count++] = (struct symbol_range){start, end, symbol};
}

static uint64_t end_of(const struct symbol_table *table, uint32_t symbol) {
  return table->symbols[symbol].address + table->symbols[symbol].size;
}

/* A sweep over the symbols by address. `open` is a stack of those that have begun and not ended
 * at `done`; the one that began last owns the code. */
struct sweep {
  struct symbol_table *table;
  uint32_t *open;
  size_t count;
  uint64_t done;
};

static void sweep_up_to(struct sweep *sweep, uint64_t address) {
  while (sweep->count > 0) {
    uint32_t owner = sweep->open[sweep->count - 1];
    uint64_t end = end_of(sweep->table, owner), stop = end < address ? end : address;
    add_range(sweep->table, sweep->done, stop, owner);
    if (stop > sweep->done) sweep->done = stop;
    if (end > address) return;
    sweep->count--;
  }
}

static void sweep_open(struct sweep *sweep, uint32_t symbol) {
  ARRAY_GROW(sweep->open, sweep->count);
  sweep->open[sweep->count++] = symbol;
  sweep->done = sweep->table->symbols[symbol].address;
}

static void cut_ranges(struct symbol_table *table) {
  struct sweep sweep = {.table = table};
  for (size_t i = 0; i < table->count; i++) {
    sweep_up_to(&sweep, table->symbols[i].address);
    sweep_open(&sweep, (uint32_t)i);
  }
  sweep_up_to(&sweep, UINT64_MAX);
  free(sweep.open);
}

void symbol_table_finish(struct symbol_table *table, const struct code_section *sections,
                         size_t section_count) {
  if (table->count == 0) return;
  qsort(table->symbols, table->count, sizeof *table->symbols, by_choice);
  keep_chosen(table);
  extend_unsized(table, sections, section_count);
  cut_ranges(table);
}

struct table_symbol *symbol_table_find(const struct symbol_table *table, uint64_t address) {
  size_t low = COUNT_BEFORE(table->range_count, i, table->ranges[i].end <= address);
  if (low == table->range_count || table->ranges[low].start > address) return NULL;
  return &table->symbols[table->ranges[low].symbol];
}

const char *symbol_table_name(const struct symbol_table *table, const struct table_symbol *symbol,
                              size_t i) {
  if (i < symbol->alias_count) return table->aliases[symbol->first_alias + i];
  return i == 0 ? symbol->linkage : NULL;
}

static int is_named(const void *array, uint32_t index, const void *linkage) {
  const struct symbol_table *table = array;
  const char *name;
  for (size_t i = 0; (name = symbol_table_name(table, &table->symbols[index], i)); i++)
    if (strcmp(name, linkage) == 0) return 1;
  return 0;
}

static uint32_t find_name(const struct symbol_table *table, const char *linkage) {
  return hash_index_find(&table->by_name, hash_text(linkage), is_named, table, linkage);
}

/* Enters the first of several symbols with one name. */
static void index_names(struct symbol_table *table) {
  const char *name;
  for (uint32_t symbol = 0; symbol < table->count; symbol++)
    for (size_t i = 0; (name = symbol_table_name(table, &table->symbols[symbol], i)); i++)
      if (find_name(table, name) == HASH_INDEX_NONE)
        hash_index_add(&table->by_name, hash_text(name), symbol);
}

struct table_symbol *symbol_table_named(struct symbol_table *table, const char *linkage) {
  if (table->by_name.used == 0) index_names(table);
  uint32_t found = find_name(table, linkage);
  return found == HASH_INDEX_NONE ? NULL : &table->symbols[found];
}

static int is_clone(const void *array, uint32_t index, const void *linkage) {
  const struct symbol_table *table = array;
  const char *name;
  size_t length = strlen(linkage);
  for (size_t i = 0; (name = symbol_table_name(table, &table->symbols[index], i)); i++)
    if (demangle_base_length(name) == length && strncmp(name, linkage, length) == 0) return 1;
  return 0;
}

static void index_clone(struct symbol_table *table, uint32_t symbol, const char *name) {
  size_t length = demangle_base_length(name);
  if (!name[length]) return;
  char *base = memory_text_part(name, length);
  uint64_t hash = hash_text(base);
  if (hash_index_find(&table->of_clone, hash, is_clone, table, base) == HASH_INDEX_NONE)
    hash_index_add(&table->of_clone, hash, symbol);
  free(base);
}

static void index_clones(struct symbol_table *table) {
  const char *name;
  for (uint32_t symbol = 0; symbol < table->count; symbol++)
    for (size_t i = 0; (name = symbol_table_name(table, &table->symbols[symbol], i)); i++)
      index_clone(table, symbol, name);
}

bool symbol_table_has_clone(struct symbol_table *table, const char *linkage) {
  if (!table->clones_known) index_clones(table);
  table->clones_known = true;
  return hash_index_find(&table->of_clone, hash_text(linkage), is_clone, table, linkage) !=
         HASH_INDEX_NONE;
}

void symbol_table_free(struct symbol_table *table) {
  free(table->symbols);
  free(table->aliases);
  free(table->ranges);
  hash_index_free(&table->by_name);
  hash_index_free(&table->of_clone);
  *table = (struct symbol_table){0};
}
