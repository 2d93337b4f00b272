/* Linkage names of functions that the debug information gives none: GCC names there what only a
 * unit can see by words alone, but the counters' descriptions have the names that it gave them. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/begins.h"
#include "base/count_before.h"
#include "base/memory.h"
#include "symbols/counted_code.h"
#include "symbols/demangle.h"
#include "symbols/name_parts.h"
#include "symbols/symbol_file.h"

/* A function that the counters describe. Strings belong to the file. */
struct counted_name {
  const char *linkage, *path;
  uint32_t line;
};

/* ---- what the descriptions have ---- */

static void add_name(struct symbol_file *file, const struct counted_unit *unit, const char *linkage,
                     uint32_t path_name, uint32_t line) {
  char path[SYMBOL_NAME_BYTES];
  if (strncmp(linkage, "_Z", 2) != 0 || !line ||
      !counted_unit_path(unit, path_name, path, sizeof path))
    return;
  ARRAY_GROW(file->counted_names, file->counted_name_count);
  struct counted_name *name = &file->counted_names[file->counted_name_count];
  /* A unit's functions stand one after the other, mostly of one file. */
  const char *last = file->counted_name_count ? name[-1].path : NULL;
  const char *kept =
      last && strcmp(last, path) == 0 ? last : arena_text(&file->arena, path, strlen(path));
  *name = (struct counted_name){linkage, kept, line};
  file->counted_name_count++;
}

static int by_line(const void *left, const void *right) {
  const struct counted_name *a = left, *b = right;
  if (a->line != b->line) return a->line < b->line ? -1 : 1;
  int order = strcmp(a->linkage, b->linkage);
  return order ? order : strcmp(a->path, b->path);
}

static void read_names(struct symbol_file *file) {
  struct counted_code_list list;
  ARRAY_GROW(file->counted_names, 0);
  if (symbol_file_counted_code(file, &list) != 0) return;
  for (size_t i = 0; i < list.unit_count; i++)
    for (uint32_t k = 0; k < list.units[i].definition_count; k++) {
      const struct counted_definition *inlined = &list.units[i].definitions[k];
      if (inlined->kind != ORIGIN_MACRO)
        add_name(file, &list.units[i], counted_unit_text(&list.units[i], inlined->name),
                 inlined->file, inlined->line);
    }
  for (size_t i = 0; i < list.count; i++)
    if (!list.code[i].is_public)
      add_name(file, list.code[i].unit, list.code[i].name, list.code[i].file, list.code[i].line);
  counted_code_free(&list);
  qsort(file->counted_names, file->counted_name_count, sizeof *file->counted_names, by_line);
}

/* ---- names in common words ---- */

/* Behind a word that compilers and demanglers place or write differently; `text` if there is none:
 * "char const*" is "const char*", "3ul" is "3", "{lambda(int)#1}" is "<lambda(int)>". */
static const char *behind_varied(const char *text, char before) {
  static const char *const varied[] = {" ", "std::__cxx11::", "std::", "const"};
  bool in_word = isalnum((unsigned char)before) || before == '_';
  for (size_t i = 0; i < sizeof varied / sizeof *varied; i++)
    if ((!in_word || i == 0) && begins(text, varied[i])) return text + strlen(varied[i]);
  if (isdigit((unsigned char)before) && strchr("ul", *text)) return text + 1;
  if (*text == '#') return text + 1 + strspn(text + 1, "0123456789");
  return text;
}

/* Behind the parameters of a function that holds others ("main()::"), or `text`. */
static const char *behind_holder(const char *text) {
  int depth = 0;
  if (*text != '(' || begins(text, "(anonymous namespace)")) return text;
  for (const char *at = text; *at; at++) {
    depth += (*at == '(') - (*at == ')');
    if (depth > 0) continue;
    return begins(at + 1, "::") || begins(at + 1, " const::") ? at + 1 : text;
  }
  return text;
}

/* Behind an argument of a template that GCC leaves out where it is the default, or `text`. */
static const char *behind_default(const char *text) {
  static const char *const defaults[] = {", std::allocator<", ", std::char_traits<",
                                         ", std::less<",      ", std::default_delete<",
                                         ", std::hash<",      ", std::equal_to<"};
  for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
    if (!begins(text, defaults[i])) continue;
    int depth = 1;
    for (const char *at = text + strlen(defaults[i]); *at; at++) {
      depth += (*at == '<') - (*at == '>' && at[-1] != '-');
      if (depth == 0) return at + 1;
    }
  }
  return text;
}

/* Behind the parameters of a lambda, or `text`. */
static const char *behind_lambda(const char *text, const char *name) {
  static const char word[] = "lambda";
  size_t length = sizeof word - 1;
  if (*text != '(' || (size_t)(text - name) <= length || strncmp(text - length, word, length) != 0)
    return text;
  int depth = 0;
  for (const char *at = text; *at; at++) {
    depth += (*at == '(') - (*at == ')');
    if (depth == 0) return at + 1;
  }
  return text;
}

/* How much of a name is compared. */
struct comparison {
  bool lambdas; /* with the parameters of lambdas, which the debug information may not have */
  bool whole;   /* with the function's own, which it writes in other words */
};

/* The name, qualified, so that what compilers and demanglers say of one function is the same, and
 * perhaps what they say of several. */
static void write_common(const char *name, const struct comparison *comparison,
                         char text[SYMBOL_NAME_BYTES]) {
  struct name_part part = name_qualified(name);
  const char *end = comparison->whole ? name + strlen(name) : part.text + part.length;
  size_t used = 0;
  char before = '\0';
  for (const char *at = comparison->whole ? name : part.text;
       at < end && used + 1 < SYMBOL_NAME_BYTES;) {
    const char *next = behind_default(at);
    if (next == at) next = behind_varied(at, before);
    if (next == at) next = behind_holder(at);
    if (next == at && !comparison->lambdas) next = behind_lambda(at, name);
    if (next != at) {
      at = next;
      continue;
    }
    before = *at++;
    text[used++] = before == '{' ? '<' : before == '}' ? '>' : before;
  }
  text[used] = '\0';
}

/* ---- the search ---- */

static bool is_named(const char *linkage, const char *wanted, const struct comparison *comparison) {
  char text[SYMBOL_NAME_BYTES];
  char *name = demangle(linkage);
  write_common(name, comparison, text);
  free(name);
  return strcmp(text, wanted) == 0;
}

bool counted_name_may_be(const char *linkage, const char *name) {
  static const struct comparison least = {false, false};
  char wanted[SYMBOL_NAME_BYTES];
  write_common(name, &least, wanted);
  return is_named(linkage, wanted, &least);
}

/* The only one with this name among those from `first` on, which are of one line; null: there is
 * none, or *several. */
static const char *find_only(struct symbol_file *file, size_t first, const char *name_wanted,
                             const struct comparison *comparison,
                             const struct source_position *definition, bool *several) {
  char wanted[SYMBOL_NAME_BYTES];
  write_common(name_wanted, comparison, wanted);
  const char *found = NULL;
  *several = false;
  for (size_t i = first;
       i < file->counted_name_count && file->counted_names[i].line == definition->line; i++) {
    const struct counted_name *name = &file->counted_names[i];
    if ((i > first && strcmp(name[-1].linkage, name->linkage) == 0 &&
         strcmp(name[-1].path, name->path) == 0) ||
        strcmp(name->path, definition->file) != 0 || !is_named(name->linkage, wanted, comparison))
      continue;
    const char *linkage = symbol_file_kept_variant(file, name->linkage);
    *several |= found && strcmp(found, linkage) != 0;
    found = linkage;
  }
  return *several ? NULL : found;
}

const char *symbol_file_counted_name(struct symbol_file *file, const char *name,
                                     const struct source_position *definition) {
  /* More is asked only to tell several apart: the words may differ. */
  static const struct comparison comparisons[] = {{false, false}, {true, false}, {true, true}};
  if (!definition->file || !definition->line) return NULL;
  if (!file->counted_names) read_names(file);
  size_t low =
      COUNT_BEFORE(file->counted_name_count, i, file->counted_names[i].line < definition->line);
  const char *found = NULL;
  bool several = true;
  for (size_t i = 0; several && i < sizeof comparisons / sizeof *comparisons; i++)
    found = find_only(file, low, name, &comparisons[i], definition, &several);
  return found;
}
