/* Stacks as they are drawn: whole ones, and histories with marks where frames are missing. */
#include "attribution/stack_path.h"

#include <stdlib.h>

#include "check.h"
#include "profile_fixture.h"

static struct program program;

static char *text_of(const struct profile *profile, const struct stack_path *path) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  for (size_t i = 0; i < path->length; i++) {
    const struct path_frame *frame = &path->frames[i];
    bool hole = frame->function == PATH_HOLE;
    fprintf(out, "%s%s%s", i ? " " : "", hole ? "..." : profile->functions[frame->function].name,
            frame->folded ? "*" : "");
  }
  fclose(out);
  return text;
}

/* The path of the only tick, made below these calls. */
static void check_context(const char *calls, const char *expected) {
  struct stack_path path = {0};
  program_start(&program);
  program_calls(&program, calls);
  program_tick(&program, 1);
  struct profile *profile = program_end(&program);
  stack_path_of_tick(&path, profile, &profile->metrics[0].ticks[0]);
  char *text = text_of(profile, &path);
  CHECK_TEXT(text, expected);
  free(text);
  stack_path_free(&path);
  profile_free(profile);
}

static void contexts(void) {
  check_context("main f g", "main f g");
  check_context("main f f g", "main f g");
  check_context("main f g f h", "main f* g f h");
  check_context("main f g h f g", "main f* g* h f g");
  check_context("main f g f g f", "main f* ... g f");
  check_context("main f g f g f h", "main f* ... g f h");
  check_context("main f g h f g h", "main f* ... h* f g h");
}

/* Below a context that lacks frames, code without hooks lacks them, too. */
static void code_without_hooks(void) {
  struct stack_path path = {0};
  program_start(&program);
  program_calls(&program, "main f g f g f");
  program_call(&program, program_library(&program, "memcpy"));
  program.profile->transition_count--;
  program_tick(&program, 1);
  struct profile *profile = program_end(&program);
  stack_path_of_tick(&path, profile, &profile->metrics[0].ticks[0]);
  char *text = text_of(profile, &path);
  CHECK_TEXT(text, "main f* ... g f memcpy");
  free(text);
  stack_path_free(&path);
  profile_free(profile);
}

/* main:1 > f:2 > g:3 > f:2 > f:4, a hole, and g runs on 5. */
static void stacks(void) {
  struct stack_path path = {0};
  program_start(&program);
  program_calls(&program, "main f g f g");
  program_tick(&program, 1);
  struct profile *profile = program_end(&program);
  static const struct profile_line lines[] = {{0, 1}, {1, 2}, {2, 3}, {1, 4}, {2, 5}};
  static const struct profile_stack rows[] = {
      {NOTHING, NOTHING}, {0, 0}, {1, 1}, {2, 2}, {3, 1}, {4, 3}, {5, NOTHING}};
  free(profile->lines);
  free(profile->stacks);
  profile->lines = memcpy(memory_zeroed(5, sizeof *lines), lines, sizeof lines);
  profile->stacks = memcpy(memory_zeroed(7, sizeof *rows), rows, sizeof rows);
  stack_path_of_stack(&path, profile, 6, 4);
  char *text = text_of(profile, &path);
  CHECK_TEXT(text, "main f g f* ... g");
  CHECK_EQUAL(path.frames[3].line, 3);
  CHECK_EQUAL(path.frames[5].line, 4);
  free(text);
  stack_path_of_stack(&path, profile, 0, 4);
  CHECK_EQUAL(path.length, 1);
  CHECK_EQUAL(path.frames[0].function, 2);
  stack_path_free(&path);
  profile_free(profile);
}

int main(void) {
  contexts();
  code_without_hooks();
  stacks();
  return check_result();
}
