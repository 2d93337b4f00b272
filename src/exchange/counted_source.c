#include "exchange/counted_source.h"

#include <stdlib.h>

#include "attribution/counts/line_counts.h"
#include "attribution/equations/code_graph.h"
#include "attribution/given.h"
#include "exchange/call_graph_figures.h"

void counted_source_open(struct counted_source *source, const char *format) {
  *source = (struct counted_source){0};
  stack_profile_open(&source->stacks, format, "executions");
  source->stacks.profile->metrics[0].unit = "executions";
  source->stacks.profile->metrics[0].evidence = EVIDENCE_COUNTED;
}

uint32_t counted_source_function(struct counted_source *source,
                                 const struct profile_function *function, uint64_t calls) {
  struct profile *profile = source->stacks.profile;
  size_t known = profile->function_count;
  uint32_t id = stack_profile_function(&source->stacks, function, BODY_OWN);
  profile->functions[id].kind = FUNCTION_COUNTED;
  if (id == known) {
    ARRAY_GROW(source->calls, known);
    source->calls[id] = 0;
  }
  source->calls[id] = saturated_sum(source->calls[id], calls);
  return id;
}

void counted_source_expression(struct counted_source *source,
                               struct profile_expression expression) {
  expression.file = stack_profile_text(&source->stacks, expression.file);
  builder_expression(&source->stacks.builder, expression);
}

static void give_calls(struct counted_source *source, struct profile *profile) {
  struct costs *given = given_create(profile);
  for (size_t i = 0; i < profile->function_count; i++) {
    given->functions[i].calls = source->calls[i];
    given->calls = saturated_sum(given->calls, source->calls[i]);
  }
  given_sums(profile);
}

void counted_source_use(struct counted_source *source, struct profile_expression range) {
  range.file = stack_profile_text(&source->stacks, range.file);
  ARRAY_GROW(source->uses, source->use_count);
  source->uses[source->use_count++] = range;
}

static struct profile *take_profile(struct counted_source *source) {
  uint32_t process = stack_profile_process(&source->stacks, 0, "");
  stack_profile_thread(&source->stacks, process, 0, "");
  struct profile *profile = stack_profile_finish(&source->stacks);
  profile->stack_count = 0;
  give_calls(source, profile);
  return profile;
}

static void free_source(struct counted_source *source) {
  free(source->calls);
  free(source->uses);
}

int counted_source_finish(struct counted_source *source, const char *executable,
                          struct profile **profile, struct error *error) {
  *profile = take_profile(source);
  int result = 0;
  if (executable)
    result = code_graph_add(*profile, executable, source->uses, source->use_count, error);
  free_source(source);
  if (result == 0) {
    line_counts_make(*profile);
    return 0;
  }
  profile_free(*profile);
  *profile = NULL;
  return -1;
}

void counted_source_discard(struct counted_source *source) {
  profile_free(take_profile(source));
  free_source(source);
}
