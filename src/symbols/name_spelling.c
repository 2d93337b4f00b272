#include "symbols/name_spelling.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Put `name`, which is not longer, in place of the bytes from `at` to `end`; behind it. */
static char *replace(char *at, const char *end, const char *name) {
  size_t length = strlen(name);
  for (size_t i = 0; i < length; i++)
    at[i] = name[i];
  memmove(at + length, end, strlen(end) + 1);
  return at + length;
}

/* Behind the bracket that closes the one at `open`; null: none does. */
static char *behind_bracket(char *open) {
  int depth = 0;
  for (char *at = open; *at; at++) {
    if (at[0] == '-' && at[1] == '>') at++;
    if (strchr("(<{", *at)) depth++;
    if (strchr(")>}", *at) && --depth == 0) return at + 1;
  }
  return NULL;
}

static bool is_part_of_word(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

/* ---- the standard library's strings ---- */

static const struct {
  const char *instance, *name;
} standard_names[] = {
    {"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >",
     "std::string"},
    {"std::basic_string<char, std::char_traits<char>, std::allocator<char> >", "std::string"},
    {"std::basic_string_view<char, std::char_traits<char> >", "std::string_view"}};

/* No blank stays that kept two '>' apart. */
static void shorten(char *text, const char *instance, const char *name) {
  size_t length = strlen(instance);
  for (char *at = text; (at = strstr(at, instance)) != NULL;) {
    const char *rest = at + length;
    if (strncmp(rest, " >", 2) == 0) rest++;
    at = replace(at, rest, name);
  }
}

/* ---- default arguments of templates ---- */

/* Whether the template whose arguments hold `at` has one of the names (separated by blanks). */
static bool is_argument_of(const char *text, const char *at, const char *names) {
  int depth = 0;
  while (at > text && !(*--at == '<' && depth == 0)) {
    if (strchr(")>}", *at)) depth++;
    if (strchr("(<{", *at)) depth--;
  }
  const char *end = at;
  while (at > text && is_part_of_word(at[-1]))
    at--;
  size_t length = (size_t)(end - at);
  for (const char *name = names; *name; name += strspn(name, " ")) {
    size_t own = strcspn(name, " ");
    if (own == length && strncmp(name, at, own) == 0) return true;
    name += own;
  }
  return false;
}

/* Leave out ", std::NAME<...>" where it is the last argument. `of`: templates with that default;
 * null: any. */
static void drop_default(char *text, const char *argument, const char *of) {
  for (char *at = text; (at = strstr(at, argument)) != NULL;) {
    char *end = behind_bracket(at + strlen(argument) - 1);
    if (!end) return;
    const char *last = end + (*end == ' ');
    if (*last != '>' || (of && !is_argument_of(text, at, of)))
      at++;
    else
      at = replace(at, at > text && at[-1] == '>' ? end : last, "");
  }
}

static void drop_defaults(char *text) {
  static const char ordered[] = "map set multimap multiset";
  static const char hashed[] = "unordered_map unordered_set unordered_multimap unordered_multiset";
  if (!strstr(text, ", std::")) return;
  drop_default(text, ", std::allocator<", NULL);
  drop_default(text, ", std::less<", ordered);
  drop_default(text, ", std::equal_to<", hashed);
  drop_default(text, ", std::hash<", hashed);
  drop_default(text, ", std::default_delete<", "unique_ptr");
}

/* ---- lambdas ---- */

/* "main(int, char**)" before the lambda at `*at`, which moves with it. */
static void bare_main(char *text, char **at) {
  static const char word[] = "main(";
  for (char *main = text; (main = strstr(main, word)) != NULL; main++) {
    char *open = main + sizeof word - 2, *end = behind_bracket(open);
    if (!end || end + 2 != *at || strncmp(end, "::", 2) != 0) continue;
    if (main > text && (is_part_of_word(main[-1]) || main[-1] == ':')) continue;
    replace(open, end, "");
    *at -= end - open;
    return;
  }
}

static void spell_lambdas(char *text, const char *form) {
  for (char *at = text; (at = strstr(at, form)) != NULL;) {
    if (!behind_bracket(at)) return;
    bare_main(text, &at);
    char *end = behind_bracket(at);
    at = replace(at, end + (strncmp(end, " >", 2) == 0), "{lambda}");
  }
}

/* ---- const ---- */

/* The end of a type that is named at `at`; null: it is none that we know how to write. */
static char *behind_type(char *at) {
  while (*at && !strchr("*&,>)", *at)) {
    if (strchr("([{", *at)) return NULL;
    char *end = *at == '<' ? behind_bracket(at) : at + 1;
    if (!end) return NULL;
    at = end;
  }
  return at;
}

static void move_const(char *text) {
  static const char word[] = "const ";
  const size_t length = sizeof word - 1;
  for (char *at = text; (at = strstr(at, word)) != NULL; at++) {
    bool begins =
        at > text && (strchr("<(", at[-1]) || (at - text > 1 && at[-1] == ' ' && at[-2] == ','));
    char *end = begins ? behind_type(at + length) : NULL;
    if (!end || end == at + length) continue;
    size_t type = (size_t)(end - at) - length;
    memmove(at, at + length, type);
    memcpy(at + type, " const", length);
  }
}

void name_spell(char *name) {
  if (!strpbrk(name, "<{")) return;
  for (size_t i = 0; i < sizeof standard_names / sizeof *standard_names; i++)
    shorten(name, standard_names[i].instance, standard_names[i].name);
  spell_lambdas(name, "<lambda(");
  spell_lambdas(name, "{lambda(");
  drop_defaults(name);
  move_const(name);
}
