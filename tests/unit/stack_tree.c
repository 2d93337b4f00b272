/* Histories as a tree: shares, order, folds. */
#include "exchange/stack_tree.h"

#include <stdlib.h>

#include "check.h"
#include "profile_fixture.h"

static struct program program;

static void calls_and_tick(const char *names, uint64_t ticks) {
  size_t depth = program.depth;
  program_calls(&program, names);
  if (ticks) program_tick(&program, ticks);
  while (program.depth > depth)
    program_return(&program);
}

static struct profile *sample(void) {
  program_start(&program);
  calls_and_tick("main f", 10);
  calls_and_tick("main g", 30);
  calls_and_tick("main f g f", 5);
  calls_and_tick("main g g g", 2);
  calls_and_tick("main h k", 0);
  program_thread(&program, "second");
  calls_and_tick("main h", 4);
  return program_end(&program);
}

/* A line for each node of the walk: depth, name, total, self, what is folded. */
static char *walk(const struct profile *profile, bool threads) {
  struct export_options options = {.selection.thread = NOTHING};
  struct export_data data;
  struct stack_tree tree;
  char *text = NULL, name[STACK_NAME_BYTES];
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  export_data_open(&data, profile, &options);
  stack_tree_make(&tree, &data, threads);
  for (uint32_t at = STACK_ROOT; at != NOTHING; at = tree.nodes[at].next) {
    const struct stack_node *node = &tree.nodes[at];
    CHECK_EQUAL(node->total.raw_ns, node->total_ns);
    fprintf(out, "%*s%s %" PRIu64 " %" PRIu64, (int)node->depth, "", stack_name(&data, node, name),
            node->total_ns / 1000000, node->self_ns / 1000000);
    if (node->folded_ns) fprintf(out, " folded %" PRIu64, node->folded_ns / 1000000);
    if (node->recursive) fprintf(out, " recursive %" PRIu64, node->recursive);
    fputc('\n', out);
  }
  fclose(out);
  stack_tree_free(&tree);
  export_data_close(&data);
  return text;
}

static void whole(const struct profile *profile) {
  char *text = walk(profile, false);
  CHECK_TEXT(text, "all 51 0\n"
                   " main 51 0\n"
                   "  g 32 32 recursive 2\n"
                   "  f 15 10 folded 5\n"
                   "   g 5 0\n"
                   "    f 5 5\n"
                   "  h 4 4\n");
  free(text);
}

static void by_thread(struct profile *profile) {
  char *text = walk(profile, true);
  CHECK_CONTAINS(text, "all 51 0\n thread fixture (100) 47 0\n  main 47 0\n");
  CHECK_CONTAINS(text, "\n thread second (101) 4 0\n  main 4 0\n   h 4 4\n");
  free(text);
  profile->threads[1].owners = 3;
  text = walk(profile, true);
  CHECK_CONTAINS(text, "\n thread second (3 threads) 4 0\n");
  free(text);
}

/* A line for each node: depth, name, calls that led to it, its own amount beside. */
static void all_calls(const struct profile *profile) {
  struct export_options options = {.selection.thread = NOTHING};
  struct export_data data, beside;
  struct stack_tree tree;
  char *text = NULL, name[STACK_NAME_BYTES];
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  export_data_open(&data, profile, &options);
  export_data_open(&beside, profile, &options);
  data.sample_count = 0;
  stack_tree_make_all(&tree, &data, &beside);
  for (uint32_t at = STACK_ROOT; at != NOTHING; at = tree.nodes[at].next) {
    const struct stack_node *node = &tree.nodes[at];
    CHECK_EQUAL(node->total_ns, 0);
    fprintf(out, "%*s%s %" PRIu64 " %" PRIu64 "\n", (int)node->depth, "",
            stack_name(&data, node, name), node->calls, node->beside_ns / 1000000);
  }
  fclose(out);
  CHECK_CONTAINS(text, "all 0 0\n main 6 0\n");
  CHECK_CONTAINS(text, "\n  g 4 32\n");
  CHECK_CONTAINS(text, "\n  f 2 10\n   g 1 0\n    f 1 5\n");
  CHECK_CONTAINS(text, "\n  h 2 4\n   k 1 0\n");
  free(text);
  stack_tree_free(&tree);
  export_data_close(&data);
  export_data_close(&beside);
}

static void empty(void) {
  program_start(&program);
  struct profile *profile = program_end(&program);
  char *text = walk(profile, true);
  CHECK_TEXT(text, "all 0 0\n");
  free(text);
  profile_free(profile);
}

int main(void) {
  struct profile *profile = sample();
  whole(profile);
  all_calls(profile);
  by_thread(profile);
  profile_free(profile);
  empty();
  return check_result();
}
