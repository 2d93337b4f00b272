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

bool name_group(struct name_part name, size_t *at, struct name_part *inside) {
  for (size_t i = *at; i < name.length; i++) {
    size_t next = behind_operator(name.text, i), end = i;
    if (next > i) i = next - 1;
    if (next > i || !((name.text[i] == '<' && i > 0) || opens_parameters(name.text, i))) continue;
    int depth = 0;
    do {
      if (strchr("(<", name.text[end])) depth++;
      if (strchr(")>", name.text[end])) depth--;
      end++;
    } while (end < name.length && depth > 0);
    *inside = (struct name_part){name.text + i + 1, end - i - 1 - (depth == 0)};
    *at = end;
    return true;
  }
  return false;
}

static bool holds(struct name_part whole, struct name_part piece) {
  return piece.length && piece.text >= whole.text &&
         piece.text + piece.length <= whole.text + whole.length;
}

/* A text of at most `bytes`, which is always ended. */
struct writing {
  char *text;
  size_t used, bytes;
};

static void write_part(struct writing *to, const char *text, size_t length) {
  if (length > to->bytes - 1 - to->used) length = to->bytes - 1 - to->used;
  memcpy(to->text + to->used, text, length);
  to->used += length;
  to->text[to->used] = '\0';
}

static void write_text(struct writing *to, const char *text) {
  write_part(to, text, strlen(text));
}

/* How a name is written. */
struct form {
  const char *filler;       /* for template arguments that do not tell */
  struct name_part telling; /* what has to stay; may be empty */
  const char *in_place;     /* what is written for it; null: all that its brackets hold */
};

static void write_group(struct writing *to, struct name_part inside, const struct form *form) {
  bool tells = holds(inside, form->telling), is_template = inside.text[-1] == '<';
  const char *end = inside.text + inside.length;
  while (to->used > 0 && strchr(" :", to->text[to->used - 1]))
    to->text[--to->used] = '\0';
  if (!tells && (!is_template || !*form->filler)) return;
  if (is_template && to->used > 0 && strchr("<>=-", to->text[to->used - 1]))
    write_text(to, " "); /* "operator< <...>" is not "operator<<" */
  if (!tells) {
    write_text(to, form->filler);
    return;
  }
  write_part(to, inside.text - 1, 1);
  if (!form->in_place) {
    write_part(to, inside.text, inside.length);
  } else {
    if (form->telling.text > inside.text) write_text(to, "...");
    write_text(to, form->in_place);
    if (form->telling.text + form->telling.length < end) write_text(to, "...");
  }
  write_text(to, is_template ? ">" : ")");
}

/* The qualified name without parameters, and with as much of template arguments as `form` says. A
 * "<" that begins a name is Rust's "<T as Trait>::f"; its arguments may have "::" before them. What
 * tells may stand in the parameters or behind them. */
static const char *abridge(const char *name, const struct form *form, char *text, size_t bytes) {
  struct writing to = {text, 0, bytes};
  struct name_part whole = name_qualified(name), inside, telling = form->telling;
  const char *end = whole.text + whole.length;
  size_t at = 0, from = 0;
  text[0] = '\0';
  if (telling.length && telling.text >= end) whole.length = strlen(whole.text);
  for (; name_group(whole, &at, &inside); from = at) {
    const char *begin = whole.text + from;
    if (begin <= end) write_part(&to, begin, (size_t)(inside.text - 1 - begin));
    write_group(&to, inside, form);
  }
  if (whole.text + from < end)
    write_part(&to, whole.text + from, (size_t)(end - whole.text) - from);
  if (telling.length && telling.text >= whole.text + from && telling.text >= end)
    write_part(&to, telling.text, telling.length);
  return text;
}

const char *name_brief(const char *name, char *text, size_t bytes) {
  return abridge(name, &(struct form){.filler = ""}, text, bytes);
}

static size_t columns(const char *text, size_t length) {
  size_t count = 0;
  for (size_t i = 0; i < length; i++)
    count += ((unsigned char)text[i] & 0xc0) != 0x80;
  return count;
}

static bool fits(const char *text, size_t width) {
  return columns(text, strlen(text)) <= width;
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

/* Behind as many leading scopes as it takes, but for one that has brackets in it. */
static const char *without_scopes(const char *text, size_t width, bool tells) {
  const char *shown = text;
  for (const char *next = text; next && !fits(shown, width); next = behind_qualifier(next)) {
    if (tells && memchr(shown, '<', (size_t)(next - shown))) break;
    shown = next;
  }
  return shown;
}

/* What tells, in `width` columns: its end is what is left out last. */
static void shorten_telling(struct name_part telling, size_t width, char *text, size_t bytes) {
  char whole[256];
  size_t length = telling.length < sizeof whole ? telling.length : sizeof whole - 1;
  memcpy(whole, telling.text, length);
  whole[length] = '\0';
  const char *shown = name_fit(whole, (struct name_part){0}, width, text, bytes);
  while (!fits(shown, width))
    shown++;
  while (((unsigned char)*shown & 0xc0) == 0x80)
    shown++;
  memmove(text, shown, strlen(shown) + 1);
}

/* From the brackets on that hold what tells, where that is a scope: "<4>::area". */
static const char *from_brackets(const char *text) {
  const char *bracket = strchr(text, '<');
  return bracket && bracket > text && strstr(bracket, ">::") ? bracket : text;
}

/* With `telling` in it; null: there is no room. */
static const char *fit_telling(const char *name, struct name_part telling, size_t width, char *text,
                               size_t bytes) {
  enum { LEAST = 4 }; /* columns of what tells, if it is not shorter */
  char in_place[256];
  struct form form = {"<...>", telling, NULL};
  if (fits(abridge(name, &form, text, bytes), width)) return text;
  if (telling.length >= sizeof in_place) return NULL;
  memcpy(in_place, telling.text, telling.length);
  in_place[telling.length] = '\0';
  form.in_place = in_place;
  if (fits(abridge(name, &form, text, bytes), width)) return text;
  form.filler = "";
  abridge(name, &form, text, bytes);
  const char *shown = without_scopes(text, width, true);
  size_t own = columns(in_place, strlen(in_place)), least = own < LEAST ? own : LEAST;
  bool cut = columns(shown, strlen(shown)) - own + least > width;
  if (cut) shown = from_brackets(shown);
  size_t used = columns(shown, strlen(shown));
  if (used <= width) return shown;
  if (used - own + least > width) return NULL;
  shorten_telling(telling, width - (used - own), in_place, sizeof in_place);
  shown = without_scopes(abridge(name, &form, text, bytes), width, true);
  if (cut) shown = from_brackets(shown);
  return fits(shown, width) ? shown : NULL;
}

const char *name_fit(const char *name, struct name_part telling, size_t width, char *text,
                     size_t bytes) {
  if (fits(name, width)) return name;
  struct name_part whole = name_qualified(name);
  if (!whole.length || whole.length >= bytes) return name;
  memcpy(text, whole.text, whole.length);
  text[whole.length] = '\0';
  if (fits(text, width) && (!telling.length || holds(whole, telling))) return text;
  const char *told = telling.length ? fit_telling(name, telling, width, text, bytes) : NULL;
  if (told && fits(told, width)) return told;
  memcpy(text, whole.text, whole.length);
  text[whole.length] = '\0';
  if (!fits(text, width)) abridge(name, &(struct form){.filler = "<...>"}, text, bytes);
  if (!fits(text, width)) name_brief(name, text, bytes);
  const char *shown = without_scopes(text, width, false);
  return *shown ? shown : name;
}
