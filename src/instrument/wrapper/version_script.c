#include "instrument/wrapper/version_script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "instrument/wrapper/response_file.h"
#include "instrument/wrapper/text_file.h"

/* Past blanks and comments. */
static const char *skip_blanks(const char *at) {
  for (;;) {
    at += strspn(at, " \t\r\n\f");
    if (strncmp(at, "/*", 2) == 0) {
      const char *end = strstr(at + 2, "*/");
      at = end ? end + 2 : at + strlen(at);
    } else if (*at == '#') {
      at += strcspn(at, "\n");
    } else {
      return at;
    }
  }
}

/* Past `word:`, or NULL. */
static const char *skip_label(const char *at, const char *word) {
  size_t length = strlen(word);
  if (strncmp(at, word, length) != 0) return NULL;
  at = skip_blanks(at + length);
  return *at == ':' ? at + 1 : NULL;
}

char *version_script_add(const char *text, const char *names) {
  const char *at = skip_blanks(text);
  while (*at && *at != '{')
    at = skip_blanks(at + 1);
  if (!*at) return NULL;
  at = skip_blanks(at + 1);
  const char *globals = skip_label(at, "global");
  const char *label = globals || !skip_label(at, "local") ? "" : "global:";
  if (globals) at = globals;
  return memory_printed("%.*s %s %s %s", (int)(at - text), text, label, names, at);
}

/* The rest of a word that names the file: `length` characters from `start`. */
struct place {
  char **word;
  size_t start, length;
};

/* -Wl,--version-script=FILE, -Wl,-version-script -Wl,FILE, and both with -Xlinker. */
static bool find(const struct words *words, struct place *place) {
  static const char option[] = "-version-script";
  for (size_t i = 0; i < words->count; i++) {
    char **word = &words->items[i];
    const char *found = **word == '-' ? strstr(*word, option) : NULL;
    if (!found) continue;
    const char *file = found + strlen(option);
    if (*file) {
      file++; /* the = or the comma */
    } else {
      do
        word++;
      while (*word && strcmp(*word, "-Xlinker") == 0);
      if (!*word) return false;
      file = strncmp(*word, "-Wl,", 4) == 0 ? *word + 4 : *word;
    }
    *place = (struct place){word, (size_t)(file - *word), strcspn(file, ",")};
    return place->length > 0;
  }
  return false;
}

/* A descriptor that survives exec, or -1. */
static int open_copy(const char *path, const char *names) {
  char *text = text_file_read(path);
  char *added = text ? version_script_add(text, names) : NULL;
  int descriptor = added ? text_file_hand_on(added) : -1;
  free(text);
  free(added);
  return descriptor;
}

static bool replace(struct words *words, const char *names) {
  struct place place;
  if (!find(words, &place)) return false;
  char *path = memory_text_part(*place.word + place.start, place.length);
  int descriptor = open_copy(path, names);
  free(path);
  if (descriptor < 0) return false;
  char *word = memory_printed("%.*s/proc/self/fd/%d%s", (int)place.start, *place.word, descriptor,
                              *place.word + place.start + place.length);
  free(*place.word);
  *place.word = word;
  return true;
}

/* The script is named in a response file, or is a word beside one: all words go into a new one. */
static bool replace_in_response_files(struct words *words, const char *names) {
  struct words all = {0};
  for (size_t i = 0; i < words->count; i++)
    response_file_expand(&all, words->items[i]);
  int descriptor = replace(&all, names) ? response_file_hand_on(&all) : -1;
  words_free(&all);
  if (descriptor < 0) return false;
  words_free(words);
  words_add_format(words, "@/proc/self/fd/%d", descriptor);
  return true;
}

bool version_script_replace(struct words *words, const char *names) {
  return replace(words, names) || replace_in_response_files(words, names);
}
