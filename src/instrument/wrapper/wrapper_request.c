#include "instrument/wrapper/wrapper_request.h"

#include <stdlib.h>
#include <string.h>

#include "base/begins.h"
#include "base/edit_distance.h"

const struct wrapper_choice wrapper_choices[WRAPPER_CHOICES] = {
    {"--ascribe-only=", "ASCRIBE_ONLY", "only", true},
    {"--ascribe-skip=", "ASCRIBE_SKIP", "skip", true},
    {"--centres=", "ASCRIBE_CC_CENTRES", "centres", true},
    {"--ascribe-switchers=", "ASCRIBE_SWITCHERS", "switchers", false},
    {"--clock=", "ASCRIBE_CC_CLOCK", "clock", false},
    {"--ascribe-placement=", "ASCRIBE_PLACEMENT", "placement", true},
    {"--ascribe-leaf-statements=", "ASCRIBE_LEAF_STATEMENTS", "leaf-statements", true},
};

static const char *variable(const char *name) {
  const char *value = getenv(name);
  return value && *value ? value : NULL;
}

/* Is `argument` one of Ascribe's own? */
static bool take_own_option(struct wrapper_request *request, const char *argument) {
  if (strcmp(argument, "--contexts") == 0 || strcmp(argument, "--counts") == 0) {
    request->contexts = strcmp(argument, "--contexts") == 0;
    return true;
  }
  /* --source-counts: its name in earlier versions */
  if (strcmp(argument, "--expressions") == 0 || strcmp(argument, "--source-counts") == 0) {
    request->expressions = true;
    return true;
  }
  if (strcmp(argument, "--without-gs") == 0) {
    request->without_gs = true;
    return true;
  }
  if (strcmp(argument, "--heap") == 0) {
    request->heap = true;
    return true;
  }
  if (strcmp(argument, "--ascribe-explain") == 0) {
    request->explain = true;
    return true;
  }
  for (int i = 0; i < WRAPPER_CHOICES; i++) {
    if (!begins(argument, wrapper_choices[i].option)) continue;
    request->chosen[i] = argument + strlen(wrapper_choices[i].option);
    return true;
  }
  return false;
}

/* CC="ascribe cc" is this wrapper. */
static bool names_wrapper(const char *command) {
  static const char name[] = "ascribe";
  for (const char *word = command; *word; word += strspn(word, " ")) {
    size_t length = strcspn(word, " ");
    const char *slash = memrchr(word, '/', length), *base = slash ? slash + 1 : word;
    if ((size_t)(word + length - base) == sizeof name - 1 &&
        memcmp(base, name, sizeof name - 1) == 0)
      return true;
    word += length;
  }
  return false;
}

static void find_compiler(struct wrapper_request *request) {
  static const struct {
    const char *language, *own, *of_make, *usual;
  } compilers[] = {{"c++", "ASCRIBE_CXX", "CXX", "c++"},
                   {"fc", "ASCRIBE_FC", "FC", "gfortran"},
                   {"cc", "ASCRIBE_CC", "CC", "cc"}};
  size_t i = 0;
  while (i + 1 < sizeof compilers / sizeof *compilers &&
         strcmp(request->language, compilers[i].language) != 0)
    i++;
  const char *const names[] = {compilers[i].own, compilers[i].of_make};
  const char *command = NULL;
  for (size_t k = 0; k < 2 && !command; k++) {
    command = variable(names[k]);
    if (command && names_wrapper(command)) command = NULL;
    request->compiler_from = command ? names[k] : NULL;
  }
  words_add_split(&request->compiler, command ? command : compilers[i].usual);
  if (request->compiler.count == 0) words_add(&request->compiler, compilers[i].usual);
}

/* An option of Ascribe's own that is spelled wrong; null: it may be the compiler's. */
static const struct option *misspelled(const char *argument, const struct option *known) {
  if (!begins(argument, "--") || strcmp(argument, "--help") == 0) return NULL;
  struct nearest_word search = {argument + 2, begins(argument, "--ascribe") ? 8 : 2, NULL};
  const struct option *nearest = NULL;
  for (; known->name; known++) {
    nearest_word_try(&search, known->name);
    if (search.word == known->name) nearest = known;
  }
  return nearest;
}

int wrapper_request_read(int count, char *const *arguments, const struct option *known,
                         struct wrapper_request *request, struct error *error) {
  *request = (struct wrapper_request){.language = arguments[0]};
  for (int i = 0; i < WRAPPER_CHOICES; i++)
    request->chosen[i] = variable(wrapper_choices[i].variable);
  for (int i = 1; i < count; i++) {
    if (take_own_option(request, arguments[i])) continue;
    const struct option *meant = misspelled(arguments[i], known);
    if (meant)
      return error_set(error,
                       "%s is not an option of ascribe %s or the compiler: did you mean --%s%s?",
                       arguments[i], arguments[0], meant->name, meant->has_arg ? "=" : "");
    words_add(&request->real, arguments[i]);
  }
  find_compiler(request);
  command_line_read((int)request->real.count, request->real.items, &request->line);
  return 0;
}

bool wrapper_request_chose(const struct wrapper_request *request, const char *key) {
  for (int i = 0; i < WRAPPER_CHOICES; i++)
    if (request->chosen[i] && strcmp(wrapper_choices[i].key, key) == 0) return true;
  return false;
}

/* The cycle counter is read where the context changes. */
bool wrapper_request_contexts(const struct wrapper_request *request) {
  return request->contexts || wrapper_request_chose(request, "clock");
}

void wrapper_request_free(struct wrapper_request *request) {
  words_free(&request->real);
  words_free(&request->compiler);
}
