#include "symbols/symbol_table.h"

#include "check.h"

static const char *name_at(const struct symbol_table *table, uint64_t address) {
  const struct table_symbol *found = symbol_table_find(table, address);
  return found ? found->linkage : "-";
}

static void nested_and_unsized_symbols(void) {
  struct symbol_table table = {0};
  struct code_section sections[] = {{0x100, 0x200}, {0x300, 0x400}};
  symbol_table_add(&table, 0x100, 0x50, "outer", 9);
  symbol_table_add(&table, 0x110, 0x10, "inner", 9);
  symbol_table_add(&table, 0x118, 0x04, "innermost", 9);
  symbol_table_add(&table, 0x130, 0, "label", 0);
  symbol_table_add(&table, 0x160, 0, "unsized", 9);
  symbol_table_add(&table, 0x180, 0, "last", 9);
  symbol_table_add(&table, 0x300, 0x10, "first", 9);
  symbol_table_add(&table, 0x308, 0x20, "overlapping", 9);
  symbol_table_finish(&table, sections, 2);
  const struct {
    uint64_t address;
    const char *name;
  } expected[] = {{0xff, "-"},          {0x100, "outer"},       {0x110, "inner"},
                  {0x118, "innermost"}, {0x11b, "innermost"},   {0x11c, "inner"},
                  {0x120, "outer"},     {0x130, "outer"},       {0x14f, "outer"},
                  {0x150, "-"},         {0x160, "unsized"},     {0x17f, "unsized"},
                  {0x180, "last"},      {0x1ff, "last"},        {0x200, "-"},
                  {0x307, "first"},     {0x308, "overlapping"}, {0x327, "overlapping"},
                  {0x328, "-"},         {UINT64_MAX, "-"}};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
    CHECK_TEXT(name_at(&table, expected[i].address), expected[i].name);
  CHECK_EQUAL(symbol_table_find(&table, 0x160)->size, 0x20);
  symbol_table_free(&table);
}

/* The same choice in whatever order the names come. */
static void one_name_of_several(void) {
  const struct {
    const char *name;
    uint32_t preference;
  } names[] = {{"__libc_malloc", 10}, {"malloc", 10}, {"__malloc", 10},
               {"mallok", 10},        {"a", 9},       {"global_data", 2}};
  enum { NAMES = sizeof names / sizeof *names };
  for (size_t first = 0; first < NAMES; first++) {
    struct symbol_table table = {0};
    for (size_t i = 0; i < NAMES; i++) {
      size_t k = (first + i) % NAMES;
      symbol_table_add(&table, 0x10, k == 3 ? 0x20 : 0, names[k].name, names[k].preference);
    }
    symbol_table_finish(&table, NULL, 0);
    CHECK_TEXT(name_at(&table, 0x10), "malloc");
    CHECK_TEXT(name_at(&table, 0x2f), "malloc");
    symbol_table_free(&table);
  }
}

/* The names that are as good as the chosen one are kept, and lead to it. */
static void aliases(void) {
  struct symbol_table table = {0};
  symbol_table_add(&table, 0x10, 8, "local", 8);
  symbol_table_add(&table, 0x10, 8, "definition", 10);
  symbol_table_add(&table, 0x10, 8, "al", 10);
  symbol_table_add(&table, 0x20, 8, "single", 10);
  symbol_table_finish(&table, NULL, 0);
  struct table_symbol *found = symbol_table_named(&table, "definition");
  CHECK(found && found == symbol_table_find(&table, 0x10));
  CHECK(symbol_table_named(&table, "al") == found);
  CHECK(symbol_table_named(&table, "local") == NULL);
  CHECK_TEXT(found->linkage, "al");
  CHECK_TEXT(symbol_table_name(&table, found, 0), "al");
  CHECK_TEXT(symbol_table_name(&table, found, 1), "definition");
  CHECK(symbol_table_name(&table, found, 2) == NULL);
  found = symbol_table_named(&table, "single");
  CHECK_TEXT(symbol_table_name(&table, found, 0), "single");
  CHECK(symbol_table_name(&table, found, 1) == NULL);
  symbol_table_free(&table);
}

static void extremes(void) {
  struct symbol_table table = {0};
  symbol_table_finish(&table, NULL, 0);
  CHECK(symbol_table_find(&table, 0) == NULL);
  symbol_table_add(&table, UINT64_MAX - 1, 100, "wraps", 0);
  symbol_table_add(&table, 0, UINT64_MAX, "everything", 0);
  symbol_table_finish(&table, NULL, 0);
  CHECK_TEXT(name_at(&table, 0), "everything");
  CHECK_TEXT(name_at(&table, UINT64_MAX - 2), "everything");
  symbol_table_free(&table);
}

int main(void) {
  nested_and_unsized_symbols();
  one_name_of_several();
  aliases();
  extremes();
  return check_result();
}
