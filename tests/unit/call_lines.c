/* Lines of calls: told where they are certain, else not. */
#include "exchange/calling_lines.h"

#include <stdlib.h>

#include "check.h"
#include "profile_fixture.h"

static struct program program;

static struct profile *sample(void) {
  program_start(&program);
  program_calls(&program, "main f g f h");
  program_tick(&program, 1);
  return program_end(&program);
}

static struct profile_site *site_of(struct profile *profile, uint32_t caller, uint32_t callee) {
  for (size_t i = 0; i < profile->site_count; i++)
    if (profile->sites[i].caller == caller && profile->sites[i].callee == callee)
      return &profile->sites[i];
  return NULL;
}

/* Lines of the history main > (f) > g > f > h: what each called the next one on. */
static void check_lines(const struct profile *profile, uint32_t stack,
                        const uint32_t expected[static 4], uint32_t leaf) {
  struct call_lines *calls = call_lines_open(profile);
  struct source_line lines[5];
  struct export_sample sample = {.context = profile->metrics[0].ticks[0].context,
                                 .line = profile->metrics[0].ticks[0].line,
                                 .stack = stack};
  CHECK_EQUAL(profile->contexts[sample.context].length, 5);
  call_lines_of(calls, &sample, lines);
  for (size_t i = 0; i < 4; i++)
    CHECK_EQUAL(lines[i].line, expected[i]);
  CHECK_EQUAL(lines[4].line, leaf);
  call_lines_close(calls);
}

static void by_sites(void) {
  struct profile *profile = sample();
  check_lines(profile, NOTHING, (uint32_t[]){15, 25, 35, 25}, 40);
  /* Two places on two lines, and one in code that called back: nobody knows. */
  profile->sites = memory_resized(profile->sites, profile->site_count + 1, sizeof *profile->sites);
  profile->sites[profile->site_count] = *site_of(profile, 1, 2);
  profile->sites[profile->site_count++].line = 26;
  site_of(profile, 0, 1)->within = 3;
  check_lines(profile, NOTHING, (uint32_t[]){0, 0, 35, 25}, 40);
  profile_free(profile);
}

/* Stacks of lines: main:16 > f:21 > g:31 > f:22 > h. f stood on two lines. */
static void by_stacks(void) {
  struct profile *profile = sample();
  static const struct profile_line lines[] = {{0, 16, "fixture.c"},
                                              {1, 21, "fixture.c"},
                                              {2, 31, "fixture.c"},
                                              {1, 22, "fixture.c"},
                                              {0, 0, NULL}};
  size_t first = profile->line_count;
  profile->lines = memory_resized(profile->lines, first + 5, sizeof *profile->lines);
  memcpy(profile->lines + first, lines, sizeof lines);
  profile->line_count += 5;
  profile->stacks = memory_zeroed(6, sizeof *profile->stacks);
  profile->stacks[0] = (struct profile_stack){NOTHING, NOTHING};
  for (uint32_t i = 0; i < 4; i++)
    profile->stacks[i + 1] = (struct profile_stack){i, first + i};
  profile->stacks[5] = (struct profile_stack){0, first + 4};
  profile->stack_count = 6;
  check_lines(profile, 4, (uint32_t[]){16, 25, 31, 25}, 40); /* f: from its only sites */
  for (size_t i = 0; i < profile->site_count; i++)
    profile->sites[i].line = 0;
  check_lines(profile, 4, (uint32_t[]){16, 0, 31, 0}, 40);
  check_lines(profile, 2, (uint32_t[]){16, 21, 0, 21}, 40);
  check_lines(profile, 5, (uint32_t[]){0, 0, 0, 0}, 40);
  profile_free(profile);
}

int main(void) {
  by_sites();
  by_stacks();
  return check_result();
}
