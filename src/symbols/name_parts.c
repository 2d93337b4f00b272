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

/* A bracket that opens parameters: not that of "(anonymous namespace)", or Go's "io.(*pipe)". */
static int opens_parameters(const char *name, size_t at) {
  return name[at] == '(' && at > 0 && !strchr(":. ", name[at - 1]);
}

/* Where the parameters begin: the last such bracket on the outermost level, if what it encloses
 * ends the name or is followed by a blank (" const"). */
static size_t parameters_at(const char *name) {
  size_t length = strlen(name), found = length;
  int depth = 0, pending = 0; /* the bracket that was found is open */
  for (size_t i = behind_operator(name, 0); i < length; i = behind_operator(name, i + 1)) {
    if (depth == 0 && opens_parameters(name, i)) {
      found = i;
      pending = 1;
    }
    if (strchr("(<{", name[i])) depth++;
    if (strchr(")>}", name[i]) && depth > 0) depth--;
    if (depth > 0 || !pending) continue;
    pending = 0;
    if (i + 1 < length && !strchr(" @[", name[i + 1])) found = length;
  }
  return found;
}

/* Behind the last "::" (with `scopes`) on the outermost level before `end`, or the last blank if
 * parameters begin there: only then does a blank end what the function returns, not in "read
 * (system call)". The name of an operator may have blanks in it ("operator new"). */
static size_t last_part_at(const char *name, size_t end, int scopes) {
  size_t start = 0;
  int depth = 0;
  for (size_t i = 0; i < end; i++) {
    int is_operator = strncmp(name + i, "operator", 8) == 0;
    if (depth == 0 && is_operator && (i == start || name[i - 1] == ':')) return scopes ? i : start;
    if (strchr("(<{", name[i])) depth++;
    if (strchr(")>}", name[i]) && depth > 0) depth--;
    if (depth > 0) continue;
    if (strncmp(name + i, "::<", 3) == 0) i += 2; /* Rust: arguments of what stands before */
    if ((name[i] == ' ' && name[end]) || (name[i] == ':' && scopes)) start = i + 1;
    if (name[i] == '<') depth++;
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
    while (i > start && strchr(" :", name[i - 1]))
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

/* The qualified name with `filler` for template arguments, and without parameters in it. A "<" that
 * begins a name is Rust's "<T as Trait>::f"; its arguments may have "::" before them. */
static const char *abridge(const char *name, const char *filler, char *text, size_t bytes) {
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
    int opens = depth ? strchr("(<", *at) != NULL
                      : (*at == '<' && i > 0) || opens_parameters(whole.text, i);
    while (opens && depth == 0 && used > 0 && strchr(" :", text[used - 1]))
      used--;
    if (opens && depth == 0 && *at == '<' && *filler && used + 1 < bytes &&
        strchr("<>=-", text[used - 1]))
      text[used++] = ' '; /* "operator< <...>" is not "operator<<" */
    if (opens && depth == 0 && *at == '<')
      for (const char *sign = filler; *sign && used + 1 < bytes; sign++)
        text[used++] = *sign;
    if (opens) depth++;
    if (depth == 0) text[used++] = *at;
    if (depth > 0 && strchr(")>", *at)) depth--;
  }
  text[used] = '\0';
  return text;
}

const char *name_brief(const char *name, char *text, size_t bytes) {
  return abridge(name, "", text, bytes);
}

static size_t columns(const char *text, size_t length) {
  size_t count = 0;
  for (size_t i = 0; i < length; i++)
    count += ((unsigned char)text[i] & 0xc0) != 0x80;
  return count;
}

/* Behind the first "::" on the outermost level; null: there is none. */
static const char *behind_qualifier(const char *name) {
  int depth = 0;
  for (size_t i = 0; name[i]; i++) {
    if (strncmp(name + i, "operator", 8) == 0) return NULL;
    if (strchr("(<{", name[i])) depth++;
    if (strchr(")>}", name[i]) && depth > 0) depth--;
    if (depth == 0 && strncmp(name + i, "::", 2) == 0 && name[i + 2]) return name + i + 2;
  }
  return NULL;
}

const char *name_fit(const char *name, size_t width, char *text, size_t bytes) {
  if (columns(name, strlen(name)) <= width) return name;
  struct name_part whole = name_qualified(name);
  if (!whole.length || whole.length >= bytes) return name;
  memcpy(text, whole.text, whole.length);
  text[whole.length] = '\0';
  if (columns(text, whole.length) > width) abridge(name, "<...>", text, bytes);
  if (columns(text, strlen(text)) > width) name_brief(name, text, bytes);
  const char *shown = text;
  for (const char *next = text; next && columns(shown, strlen(shown)) > width;
       next = behind_qualifier(next))
    shown = next;
  return *shown ? shown : name;
}
