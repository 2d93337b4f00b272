/* Which procedures arrive where, of core forms; and text that is no program. */
#include "flow/closure_flow.h"

#include <string.h>

#include "check.h"

static struct core_program program;
static uint32_t full;

static void find(const char *text) {
  CHECK(core_forms_read(text, strlen(text), &program) == 0);
  full = closure_flow_find(&program);
}

static const struct core_procedure *procedure(uint64_t key) {
  for (size_t i = 0; i < program.procedure_count; i++)
    if (program.procedures[i].key == key) return &program.procedures[i];
  return NULL;
}

static bool may_call(uint64_t call, uint64_t key) {
  for (size_t i = 0; i < program.call_count; i++)
    for (uint32_t k = 0; program.calls[i].key == call && k < program.calls[i].target_count; k++)
      if (program.procedures[program.calls[i].targets[k]].key == key) return true;
  return false;
}

static bool is_unknown(uint64_t call) {
  for (size_t i = 0; i < program.call_count; i++)
    if (program.calls[i].key == call) return program.calls[i].unknown;
  return false;
}

/* (define (id x) x)  ((id f) 1)  ((id g) 1): without contexts both may be called at each. */
static void through_variables(void) {
  find("r 1 k 1 0 1 l 10 1 B 1 q d "
       "q k 1 0 2 l 11 1 B 2 q d  q k 1 0 3 l 12 1 B 3 q d "
       "g 1 g 2 c 20 1 q c 21 1 d  g 1 g 3 c 22 1 q c 23 1 d");
  CHECK(may_call(20, 10) && may_call(22, 10));
  CHECK(may_call(21, 11) && may_call(21, 12) && may_call(23, 11));
  CHECK(!may_call(20, 11) && !is_unknown(21) && !procedure(11)->escapes && full == 0);
  core_program_free(&program);
}

/* A procedure that escapes is called with anything; what it returns escapes, too. */
static void out_of_sight(void) {
  find("q k 0 0 l 11 1 b 2 "
       "r 1 q c 20 1 d r 2 k 1 0 1 l 10 1 e  u q c 21 1 e");
  CHECK(procedure(10)->escapes && procedure(11)->escapes);
  CHECK(is_unknown(20) && is_unknown(21) && !may_call(20, 11));
  core_program_free(&program);
}

/* Where globals are reached by name, each may be called, and be anything. */
static void by_name(void) {
  find("q k 1 0 1 l 10 1 B 1 q d g 1 q c 20 1 d");
  CHECK(may_call(20, 10) && !is_unknown(20) && !procedure(10)->escapes);
  core_program_free(&program);
  find("q k 1 0 1 l 10 1 B 1 q d o g 1 q c 20 1 d");
  CHECK(may_call(20, 10) && is_unknown(20) && procedure(10)->escapes);
  core_program_free(&program);
}

/* The clause that fits takes the arguments; further ones are out of sight. */
static void clauses(void) {
  find("q k 0 0 l 11 1 b 5 "
       "r 1 c 30 0 k 1 0 1 r 2 c 31 0 k 2 1 2 3 l 10 2 b 4 "
       "r 4 r 5 c 20 1 d");
  CHECK(may_call(20, 10) && may_call(30, 11) && !may_call(31, 11) && !procedure(11)->escapes);
  core_program_free(&program);
  find("q k 0 0 l 11 1 b 5 q k 2 1 2 3 l 10 1 b 4 r 4 q r 5 c 20 2 d r 4 c 21 0 d");
  CHECK(may_call(20, 10) && procedure(11)->escapes && !may_call(21, 10));
  core_program_free(&program);
}

/* One more than are told apart. */
static void bounded(void) {
  char text[8192] = "";
  for (int i = 0; i <= CLOSURE_FLOW_MOST; i++) {
    size_t length = strlen(text);
    snprintf(text + length, sizeof text - length, "q k 0 0 l %d 1 B 1 ", 100 + i);
  }
  strcat(text, "g 1 c 20 0 d");
  find(text);
  CHECK(full >= 1 && is_unknown(20));
  uint32_t seen = 0, escaped = 0;
  for (int i = 0; i <= CLOSURE_FLOW_MOST; i++) {
    seen += may_call(20, 100 + (uint64_t)i);
    escaped += procedure(100 + (uint64_t)i)->escapes;
    CHECK(may_call(20, 100 + (uint64_t)i) || procedure(100 + (uint64_t)i)->escapes);
  }
  CHECK(seen == CLOSURE_FLOW_MOST && escaped == 1);
  core_program_free(&program);
}

static void refused(void) {
  static const char *const texts[] = {"b 1",   "x",         "r",        "q k 1 0", "l 1 1",
                                      "c 1 0", "q c 1 5",   "q k 0 1",  "r -1",    "k",
                                      "j",     "q c 1 1 d", "q q d d d"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    CHECK(core_forms_read(texts[i], strlen(texts[i]), &program) == -1);
  CHECK(core_forms_read("", 0, &program) == 0);
  core_program_free(&program);
}

int main(void) {
  through_variables();
  out_of_sight();
  by_name();
  clauses();
  bounded();
  refused();
  return check_result();
}
