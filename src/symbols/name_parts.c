#include "symbols/name_parts.h"

#include <string.h>

/* Behind the signs of an operator ("operator<<", "operator()") that begins at `at`. */
static size_t behind_operator(const char *name, size_t at) {
  static const char word[] = "operator";
  if (strncmp(name + at, word, sizeof word - 1) != 0) return at;
  at += sizeof word - 1;
  if (strncmp(name + at, "()", 2) == 0) return at + 2;
  return at + strspn(name + at, "<>=!-+*/%^&|~,[]");
}

/* A bracket that opens parameters: not that of "(anonymous namespace)". */
static int opens_parameters(const char *name, size_t at) {
  return name[at] == '(' && at > 0 && name[at - 1] != ':' && name[at - 1] != ' ';
}

/* Where the parameters begin: the last such bracket on the outermost level. */
static size_t parameters_at(const char *name) {
  size_t length = strlen(name), found = length;
  int depth = 0;
  for (size_t i = behind_operator(name, 0); i < length; i = behind_operator(name, i + 1)) {
    if (depth == 0 && opens_parameters(name, i)) found = i;
    if (strchr("(<{", name[i])) depth++;
    if (strchr(")>}", name[i]) && depth > 0) depth--;
  }
  return found;
}

/* Behind the last blank or, with `scopes`, the last "::" on the outermost level before `end`; the
 * name of an operator may have blanks in it ("operator new"). */
static size_t last_part_at(const char *name, size_t end, int scopes) {
  size_t start = 0;
  int depth = 0;
  for (size_t i = 0; i < end; i++) {
    int is_operator = strncmp(name + i, "operator", 8) == 0;
    if (depth == 0 && is_operator && (i == start || name[i - 1] == ':')) return scopes ? i : start;
    if (strchr("(<{", name[i])) depth++;
    if (strchr(")>}", name[i]) && depth > 0) depth--;
    if (depth == 0 && (name[i] == ' ' || (scopes && name[i] == ':'))) start = i + 1;
  }
  return start;
}

/* The end of a name up to `end` without template arguments there. */
static size_t without_arguments(const char *name, size_t start, size_t end) {
  int depth = 0;
  if (end == start || name[end - 1] != '>' || behind_operator(name, start) == end) return end;
  for (size_t i = end; i-- > start;) {
    if (name[i] == '>') depth++;
    if (name[i] != '<' || --depth != 0) continue;
    while (i > start && name[i - 1] == ' ')
      i--;
    return i;
  }
  return end;
}

struct name_part name_qualified(const char *name) {
  size_t end = parameters_at(name), start = last_part_at(name, end, 0);
  return (struct name_part){name + start, end - start};
}

struct name_part name_last(const char *name) {
  size_t end = parameters_at(name), start = last_part_at(name, end, 1);
  return (struct name_part){name + start, without_arguments(name, start, end) - start};
}

const char *name_brief(const char *name, char *text, size_t bytes) {
  struct name_part whole = name_qualified(name);
  size_t used = 0;
  int depth = 0; /* of brackets that are left out */
  for (size_t i = 0; i < whole.length && used + 1 < bytes; i++) {
    const char *at = whole.text + i;
    size_t next = behind_operator(whole.text, i);
    if (depth == 0 && next > i) {
      while (i < next && i < whole.length && used + 1 < bytes)
        text[used++] = whole.text[i++];
      i--;
      continue;
    }
    int opens = depth ? strchr("(<", *at) != NULL : *at == '<' || opens_parameters(whole.text, i);
    while (opens && depth == 0 && used > 0 && text[used - 1] == ' ')
      used--;
    if (opens) depth++;
    if (depth == 0) text[used++] = *at;
    if (depth > 0 && strchr(")>", *at)) depth--;
  }
  text[used] = '\0';
  return text;
}
