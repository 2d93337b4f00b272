/* Profiles come back from their files as they were, and damaged files are refused. */
#include "store/store.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attribution/books.h"
#include "attribution/counts/line_counts.h"
#include "attribution/given.h"
#include "attribution/merge/merge.h"
#include "check.h"
#include "profile/builder.h"
#include "profile_fixture.h"
#include "recording/mpi_calls.h"
#include "recording_fixture.h"
#include "store/database.h"
#include "store/schema.h"

static struct program program;

/* A macro of line 3, expanded in function 1, which was inlined. */
static void add_copies(struct profile *profile) {
  const char *file = profile->lines[0].file;
  profile->expressions = memory_zeroed(1, sizeof *profile->expressions);
  profile->expressions[profile->expression_count++] = (struct profile_expression){
      .function = 1, .file = file, .line = 3, .kind = EXPRESSION_MACRO, .count = 40};
  profile->expansions = memory_zeroed(2, sizeof *profile->expansions);
  profile->expansions[profile->expansion_count++] =
      (struct profile_expansion){.parent = NOTHING, .function = 1, .file = file, .line = 5};
  profile->expansions[profile->expansion_count++] =
      (struct profile_expansion){0, NOTHING, "MAX", file, 3, file, 7, 8};
  profile->copies = memory_zeroed(1, sizeof *profile->copies);
  profile->copies[profile->copy_count++] = (struct profile_copy){0, 0, 1, ".clone", 40};
  profile->sites[0].expansion = 0;
  line_counts_make(profile);
}

/* With mutual recursion, threads, a leaf without hooks, names and texts of every kind. */
static struct profile *sample(void) {
  program_start(&program);
  program_calls(&program, "main P Q R P");
  program_tick(&program, 3);
  program_calls(&program, "S S");
  program_tick(&program, 4);
  program_call(&program, program_library(&program, "memcpy"));
  program.profile->transition_count--; /* code without hooks is not called, it is found running */
  program_tick(&program, 5);
  program_thread(&program, "a \"quoted\" name");
  program_calls(&program, "start std::vector<int>::at(unsigned\\ long)");
  program_tick(&program, 6);
  struct profile *profile = program_end(&program);
  profile->threads[1].start_function = 0;
  profile->threads[1].spawned_in = 2;
  profile->processes[0].drops[DROP_CONTEXTS] = 17;
  profile->stacks = memory_zeroed(2, sizeof *profile->stacks);
  profile->stacks[profile->stack_count++] = (struct profile_stack){NOTHING, NOTHING};
  profile->stacks[profile->stack_count++] = (struct profile_stack){0, 1};
  profile->metrics[0].ticks[0].stack = 1;
  profile->metrics[0].instructions = memory_zeroed(1, sizeof *profile->metrics[0].instructions);
  profile->metrics[0].instructions[profile->metrics[0].instruction_count++] =
      (struct profile_instruction){1, 7, NOTHING, 0x1234, {3, 3000000}, 0, 1, ".clone"};
  add_copies(profile);
  profile_add_message(profile, (struct profile_message){.line = 1,
                                                        .call = "MPI_Recv",
                                                        .partner = 3,
                                                        .calls = 5,
                                                        .received = 4,
                                                        .received_bytes = 1ull << 40,
                                                        .elapsed_ns = 7,
                                                        .least_ns = 1});
  profile->processes[0].clock = "one start of one machine";
  profile->processes[0].cycle_ns = 0.5;
  profile_add_message_end(profile, (struct profile_message_end){.line = 1,
                                                                .wait_line = NOTHING,
                                                                .call = MPI_CALL_NUMBERS - 1,
                                                                .communicator = UINT32_MAX,
                                                                .partner = 3,
                                                                .tag = UINT32_MAX,
                                                                .flags = END_KEPT,
                                                                .posted = (1ull << 62) - 1,
                                                                .waited = 7});
  profile_add_message_delay(profile, (struct profile_message_delay){.line = 1,
                                                                    .partner_line = NOTHING,
                                                                    .call = "MPI_Wait",
                                                                    .partner_call = "MPI_Send",
                                                                    .partner = 3,
                                                                    .late_end = LATE_IN_COLLECTIVE,
                                                                    .messages = 5,
                                                                    .late = 4,
                                                                    .late_ns = 1ull << 40,
                                                                    .clock_uncertainty_ns = 9});
  return profile;
}

static void check_amount(struct amount a, struct amount b) {
  CHECK_EQUAL(a.ticks, b.ticks);
  CHECK_EQUAL(a.raw_ns, b.raw_ns);
}

static void check_same_text(const char *a, const char *b) {
  CHECK(!a == !b);
  if (a && b) CHECK_TEXT(a, b);
}

static void check_contexts(const struct profile *a, const struct profile *b) {
  CHECK_EQUAL(a->context_count, b->context_count);
  for (size_t i = 0; i < a->context_count && i < b->context_count; i++) {
    CHECK_EQUAL(a->contexts[i].thread, b->contexts[i].thread);
    CHECK_EQUAL(a->contexts[i].length, b->contexts[i].length);
    CHECK(memcmp(a->contexts[i].history, b->contexts[i].history,
                 a->contexts[i].length * sizeof(uint32_t)) == 0);
    check_amount(context_self(a, i), context_self(b, i));
  }
}

static void check_functions(const struct profile *a, const struct profile *b) {
  CHECK_EQUAL(a->function_count, b->function_count);
  for (size_t i = 0; i < a->function_count && i < b->function_count; i++) {
    const struct profile_function *left = &a->functions[i], *right = &b->functions[i];
    CHECK_TEXT(left->name, right->name);
    check_same_text(left->linkage, right->linkage);
    check_same_text(left->file, right->file);
    CHECK_EQUAL(left->line, right->line);
    CHECK_EQUAL(left->object, right->object);
    CHECK_EQUAL(left->kind, right->kind);
  }
}

static void check_calls(const struct profile *a, const struct profile *b) {
  CHECK_EQUAL(a->transition_count, b->transition_count);
  for (size_t i = 0; i < a->transition_count && i < b->transition_count; i++) {
    CHECK_EQUAL(a->transitions[i].from, b->transitions[i].from);
    CHECK_EQUAL(a->transitions[i].to, b->transitions[i].to);
    CHECK_EQUAL(a->transitions[i].site, b->transitions[i].site);
    CHECK_EQUAL(a->transitions[i].count, b->transitions[i].count);
  }
  CHECK_EQUAL(a->site_count, b->site_count);
  for (size_t i = 0; i < a->site_count && i < b->site_count; i++) {
    CHECK_EQUAL(a->sites[i].caller, b->sites[i].caller);
    CHECK_EQUAL(a->sites[i].callee, b->sites[i].callee);
    CHECK_EQUAL(a->sites[i].within, b->sites[i].within);
    CHECK_EQUAL(a->sites[i].offset, b->sites[i].offset);
    CHECK_EQUAL(a->sites[i].line, b->sites[i].line);
    check_same_text(a->sites[i].file, b->sites[i].file);
  }
  CHECK_EQUAL(a->metrics[0].tick_count, b->metrics[0].tick_count);
  for (size_t i = 0; i < a->metrics[0].tick_count && i < b->metrics[0].tick_count; i++) {
    CHECK_EQUAL(a->metrics[0].ticks[i].context, b->metrics[0].ticks[i].context);
    CHECK_EQUAL(a->metrics[0].ticks[i].line, b->metrics[0].ticks[i].line);
    CHECK_EQUAL(a->metrics[0].ticks[i].stack, b->metrics[0].ticks[i].stack);
    CHECK_EQUAL(a->metrics[0].ticks[i].amount.ticks, b->metrics[0].ticks[i].amount.ticks);
    CHECK_EQUAL(a->metrics[0].ticks[i].amount.raw_ns, b->metrics[0].ticks[i].amount.raw_ns);
  }
  CHECK_EQUAL(a->line_count, b->line_count);
}

static void check_stacks(const struct profile *a, const struct profile *b) {
  CHECK_EQUAL(a->stack_count, b->stack_count);
  for (size_t i = 0; i < a->stack_count && i < b->stack_count; i++) {
    CHECK_EQUAL(a->stacks[i].parent, b->stacks[i].parent);
    CHECK_EQUAL(a->stacks[i].line, b->stacks[i].line);
  }
  CHECK_EQUAL(a->metrics[0].instruction_count, b->metrics[0].instruction_count);
  for (size_t i = 0; i < a->metrics[0].instruction_count && i < b->metrics[0].instruction_count;
       i++) {
    CHECK_EQUAL(a->metrics[0].instructions[i].line, b->metrics[0].instructions[i].line);
    CHECK_EQUAL(a->metrics[0].instructions[i].column, b->metrics[0].instructions[i].column);
    CHECK_EQUAL(a->metrics[0].instructions[i].object, b->metrics[0].instructions[i].object);
    CHECK_EQUAL(a->metrics[0].instructions[i].offset, b->metrics[0].instructions[i].offset);
    CHECK_EQUAL(a->metrics[0].instructions[i].self.raw_ns,
                b->metrics[0].instructions[i].self.raw_ns);
  }
}

static void check_run(const struct profile *a, const struct profile *b) {
  CHECK_TEXT(b->version, a->version);
  CHECK_EQUAL(a->process_count, b->process_count);
  CHECK_TEXT(b->processes[0].command, a->processes[0].command);
  CHECK_EQUAL(a->processes[0].cpu_user_ns, b->processes[0].cpu_user_ns);
  CHECK_EQUAL(a->processes[0].period_ns, b->processes[0].period_ns);
  CHECK_EQUAL(b->processes[0].drops[DROP_CONTEXTS], 17);
  CHECK_EQUAL(a->thread_count, b->thread_count);
  for (size_t i = 0; i < a->thread_count && i < b->thread_count; i++) {
    CHECK_TEXT(b->threads[i].name, a->threads[i].name);
    CHECK_EQUAL(a->threads[i].spawned_in, b->threads[i].spawned_in);
    CHECK_EQUAL(a->threads[i].start_function, b->threads[i].start_function);
  }
}

static char *path_in(const char *directory, const char *name) {
  char *path;
  return asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path;
}

static struct profile *saved_and_loaded(const struct profile *before, const char *directory) {
  char *path = path_in(directory, "again.ascribe");
  struct profile *after = NULL;
  struct error error = {""};
  CHECK_EQUAL(store_save(before, path, &error), 0);
  CHECK_EQUAL(store_load(path, &after, &error), 0);
  if (!after) printf("%s\n", error.text);
  free(path);
  return after;
}

/* Calls without contexts count for the whole, and for no part that is selected by context. */
static void counts_without_contexts(const char *directory) {
  struct profile *before = sample();
  struct costs *plain = costs_compute(before, NULL);
  const struct profile_site *site = &before->sites[1];
  before->counts = memory_zeroed(1, sizeof *before->counts);
  before->counts[0] = (struct profile_count){.process = 0, .site = 1, .calls = 40};
  before->count_count = 1;
  struct profile *after = saved_and_loaded(before, directory);
  if (after) {
    struct costs *costs = costs_compute(after, NULL);
    struct selection part = {.focus = &site->callee, .focus_count = 1, .thread = NOTHING};
    struct costs *selected = costs_compute(after, &part);
    CHECK_EQUAL(after->count_count, 1);
    CHECK_EQUAL(costs->calls, plain->calls + 40);
    CHECK_EQUAL(costs->site_calls[1], plain->site_calls[1] + 40);
    CHECK(selected->site_calls[1] <= plain->site_calls[1]);
    costs_free(costs);
    costs_free(selected);
  }
  costs_free(plain);
  profile_free(before);
  profile_free(after);
}

/* Figures that came from elsewhere, with their origin. */
static void given_figures(const char *directory) {
  struct profile *before = sample();
  before->context_count = before->transition_count = before->metrics[0].tick_count = 0;
  before->threads[1].spawned_in = NOTHING;
  before->origin.format = "callgrind";
  before->metrics[0].kind = METRIC_GIVEN;
  before->metrics[0].name = "Ir";
  before->metrics[0].unit = "instructions";
  before->metrics[0].evidence = EVIDENCE_COUNTED;
  struct costs *given = given_create(before);
  given->functions[1] = (struct function_cost){3, 2, {0, 70}, {0, 90}};
  given->total_known[1] = true;
  given->arcs = memory_zeroed(2, sizeof *given->arcs);
  given->arcs[0] = (struct arc_cost){.caller = 0, .callee = 1, .calls = 3, .in_child = {0, 90}};
  given->arcs[1] = (struct arc_cost){.caller = 1, .callee = 0, .calls = 1, .cost_unknown = true};
  given->arc_count = 2;
  given->line_self[2] = (struct amount){0, 70};
  given->site_calls[1] = 4;
  before->process_calls = memory_zeroed(1, sizeof *before->process_calls);
  before->process_calls[0] = 6;
  before->metrics[0].measures[0].delivered = (struct amount){0, 70};
  struct profile *after = saved_and_loaded(before, directory);
  if (after) {
    CHECK_TEXT(after->metrics[0].unit, "instructions");
    CHECK_EQUAL(after->metrics[0].evidence, EVIDENCE_COUNTED);
    CHECK_EQUAL(after->process_calls[0], 6);
    check_amount(after->metrics[0].measures[0].delivered, (struct amount){0, 70});
    CHECK_EQUAL(after->given->functions[1].total.raw_ns, 90);
    CHECK_EQUAL(after->given->functions[1].recursive, 2);
    CHECK(after->given->total_known[1] && !after->given->total_known[0]);
    CHECK_EQUAL(after->given->arc_count, 2);
    CHECK(!after->given->arcs[0].cost_unknown && after->given->arcs[1].cost_unknown);
    CHECK_EQUAL(after->given->arcs[0].out_child.raw_ns, 90);
    CHECK_EQUAL(after->given->line_self[2].raw_ns, 70);
    CHECK_EQUAL(after->given->site_calls[1], 4);
    CHECK_EQUAL(after->given->self.raw_ns, 70);
  }
  profile_free(before);
  profile_free(after);
}

/* Runs that were merged; one alone is the profile itself. */
static void merged_runs(const char *directory) {
  struct profile *one = sample(), *after;
  struct merge *merge = merge_begin();
  struct error error = {""};
  CHECK_EQUAL(merge_add(merge, one, "one", false, &error), 0);
  CHECK_EQUAL(merge_add(merge, one, "one", false, &error), 0);
  struct profile *before = merge_finish(merge);
  before->run_costs[0].self_uncertainty_ns = UNCERTAINTY_UNKNOWN;
  after = saved_and_loaded(before, directory);
  if (after) {
    CHECK_EQUAL(after->run_count, 2);
    CHECK_EQUAL(after->runs[1].ticks, before->runs[1].ticks);
    CHECK_EQUAL(after->runs[1].drops[DROP_CONTEXTS], 17);
    CHECK_TEXT(after->runs[1].command, before->runs[1].command);
    CHECK_EQUAL(after->message_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
      CHECK_EQUAL(after->messages[i].process, i);
      CHECK_EQUAL(after->messages[i].line, before->messages[0].line);
      CHECK_TEXT(after->messages[i].call, "MPI_Recv");
      CHECK_EQUAL(after->messages[i].partner, 3);
      CHECK_EQUAL(after->messages[i].received_bytes, 1ull << 40);
    }
    CHECK_EQUAL(after->message_end_count, 2);
    CHECK_EQUAL(after->message_ends[1].process, 1);
    CHECK_EQUAL(after->message_ends[1].tag, UINT32_MAX);
    CHECK_EQUAL(after->message_ends[1].posted, (1ull << 62) - 1);
    CHECK_EQUAL(after->message_ends[1].wait_line, NOTHING);
    CHECK_EQUAL(after->message_delay_count, 0); /* found again from the ends, which tell nothing */
    CHECK_TEXT(after->processes[1].clock, "one start of one machine");
    CHECK(after->processes[1].cycle_ns == 0.5);
    CHECK_EQUAL(after->processes[1].run, 1);
    CHECK_EQUAL(after->run_cost_count, before->run_cost_count);
    CHECK_EQUAL(after->run_costs[0].self_uncertainty_ns, UNCERTAINTY_UNKNOWN);
    CHECK_EQUAL(after->run_costs[1].total_ns, before->run_costs[1].total_ns);
    CHECK(after->metric_count == 1);
  }
  profile_free(after);
  profile_free(before);
  after = saved_and_loaded(one, directory);
  if (after) {
    CHECK(!after->runs && !after->run_count && after->metric_count == 1);
    CHECK_EQUAL(after->message_delay_count, 1);
    CHECK_TEXT(after->message_delays[0].partner_call, "MPI_Send");
    CHECK(after->message_delays[0].late_end == LATE_IN_COLLECTIVE &&
          after->message_delays[0].late_ns == 1ull << 40);
  }
  profile_free(after);
  profile_free(one);
}

static void check_copies(const struct profile *before, const struct profile *after) {
  CHECK_EQUAL(after->expansion_count, 2);
  CHECK_EQUAL(after->copy_count, 1);
  if (after->expansion_count != 2 || after->copy_count != 1) return;
  const struct profile_expansion *macro = &after->expansions[1];
  CHECK_EQUAL(after->expansions[0].parent, NOTHING);
  CHECK_EQUAL(after->expansions[0].function, 1);
  CHECK_EQUAL(macro->parent, 0);
  CHECK_EQUAL(macro->function, NOTHING);
  check_same_text(macro->macro, before->expansions[1].macro);
  check_same_text(macro->defined_in, before->expansions[1].defined_in);
  CHECK_EQUAL(macro->defined_at, 3);
  CHECK_EQUAL(macro->column, 8);
  CHECK_EQUAL(after->copies[0].expansion, 1);
  CHECK_EQUAL(after->copies[0].count, 40);
  check_same_text(after->copies[0].clone, ".clone");
  CHECK_EQUAL(after->metrics[0].instructions[0].expansion, 1);
  CHECK_EQUAL(after->sites[0].expansion, 0);
  CHECK_EQUAL(after->sites[1].expansion, NOTHING);
}

static void check_line_counts(const struct profile *before, const struct profile *after) {
  CHECK_EQUAL(before->line_count_count, 1);
  CHECK_EQUAL(after->line_count_count, 1);
  if (after->line_count_count != 1) return;
  const struct profile_line_count *line = &after->line_counts[0];
  CHECK_TEXT(line->file, before->line_counts[0].file);
  CHECK_EQUAL(line->line, 3);
  CHECK_EQUAL(line->function, 1);
  CHECK_EQUAL(line->state, LINE_MACRO);
  CHECK_EQUAL(line->count, 40);
  CHECK_EQUAL(line->share, 40);
}

static void round_trip(const char *directory) {
  char *path = path_in(directory, "round.ascribe");
  struct profile *before = sample(), *after = NULL;
  struct error error = {""};
  CHECK_EQUAL(store_save(before, path, &error), 0);
  CHECK(store_is_file(path));
  CHECK_EQUAL(store_load(path, &after, &error), 0);
  CHECK_TEXT(error.text, "");
  if (after) {
    check_functions(before, after);
    check_contexts(before, after);
    check_calls(before, after);
    check_stacks(before, after);
    check_run(before, after);
    check_copies(before, after);
    check_line_counts(before, after);
  }
  profile_free(before);
  profile_free(after);
  free(path);
}

/* ---- the file's place ---- */

static int entries(const char *directory) {
  int count = 0;
  DIR *list = opendir(directory);
  while (readdir(list))
    count++;
  closedir(list);
  return count - 2;
}

static void older_file_is_replaced(void) {
  char *directory = fixture_directory(), *path = path_in(directory, "prog.ascribe");
  struct profile *profile = sample();
  struct error error;
  FILE *older = fopen(path, "w");
  fputs("older", older);
  fclose(older);
  CHECK_EQUAL(store_save(profile, path, &error), 0);
  CHECK(store_is_file(path));
  CHECK_EQUAL(entries(directory), 1);
  profile_free(profile);
  free(path);
  fixture_remove(directory);
}

static void names_that_are_free(void) {
  char *directory = fixture_directory(), *path = path_in(directory, "prog.ascribe");
  char *plain = path_in(directory, "plain");
  char saved[PATH_MAX];
  struct profile *profile = sample();
  struct error error;
  CHECK_EQUAL(mkdir(path, 0700), 0); /* whatever it is */
  CHECK_EQUAL(store_save_new(profile, path, saved, &error), 0);
  CHECK_CONTAINS(saved, "/prog.2.ascribe");
  CHECK_EQUAL(store_save_new(profile, path, saved, &error), 0);
  CHECK_CONTAINS(saved, "/prog.3.ascribe");
  CHECK(store_is_file(saved));
  CHECK_EQUAL(store_save_new(profile, plain, saved, &error), 0);
  CHECK_EQUAL(store_save_new(profile, plain, saved, &error), 0);
  CHECK_CONTAINS(saved, "/plain.2");
  CHECK_EQUAL(entries(directory), 5);
  CHECK_EQUAL(store_save_new(profile, "/nowhere/at/all.ascribe", saved, &error), -1);
  CHECK_EQUAL(store_may_save_new("/nowhere/at/all.ascribe", &error), -1);
  CHECK_CONTAINS(error.text, "No such file or directory");
  rmdir(path);
  profile_free(profile);
  free(path);
  free(plain);
  fixture_remove(directory);
}

static void directory_in_the_way(void) {
  char *directory = fixture_directory(), *path = path_in(directory, "prog.ascribe");
  struct profile *profile = sample();
  struct error error = {""};
  mkdir(path, 0700);
  CHECK_EQUAL(store_save(profile, path, &error), -1);
  CHECK_CONTAINS(error.text, "is a directory");
  CHECK_EQUAL(entries(directory), 1);
  rmdir(path);
  profile_free(profile);
  free(path);
  fixture_remove(directory);
}

/* A pipe, a device: what stands there is not replaced. */
static void no_regular_file_in_the_way(void) {
  char *directory = fixture_directory(), *path = path_in(directory, "prog.ascribe");
  struct profile *profile = sample();
  struct error error = {""};
  struct stat status;
  CHECK_EQUAL(mkfifo(path, 0600), 0);
  CHECK_EQUAL(store_save(profile, path, &error), -1);
  CHECK_CONTAINS(error.text, "is not a regular file");
  CHECK(store_may_save("-", &error) != 0);
  CHECK_CONTAINS(error.text, "standard output");
  CHECK_EQUAL(entries(directory), 1);
  CHECK(lstat(path, &status) == 0 && S_ISFIFO(status.st_mode));
  unlink(path);
  CHECK_EQUAL(symlink("elsewhere", path), 0);
  CHECK_EQUAL(store_may_save(path, &error), -1);
  unlink(path);
  CHECK_EQUAL(store_may_save(path, &error), 0);
  CHECK_EQUAL(store_may_save("", &error), -1);
  profile_free(profile);
  free(path);
  fixture_remove(directory);
}

static void no_such_directory(void) {
  struct profile *profile = sample();
  struct error error = {""};
  CHECK_EQUAL(store_save(profile, "/nowhere/at/all.ascribe", &error), -1);
  CHECK_CONTAINS(error.text, "No such file or directory");
  profile_free(profile);
}

/* A limit on file sizes stands in for a full disk. In a child: the limit stays. */
static void no_room(void) {
  char *directory = fixture_directory(), *path = path_in(directory, "prog.ascribe");
  pid_t child = fork();
  if (child == 0) {
    struct rlimit limit = {20000, 20000};
    struct error error = {""};
    struct profile *profile = sample();
    FILE *older = fopen(path, "w");
    fputs("older", older);
    fclose(older);
    setrlimit(RLIMIT_FSIZE, &limit);
    CHECK_EQUAL(store_save(profile, path, &error), -1);
    CHECK_CONTAINS(error.text, "no room on the disk");
    CHECK_EQUAL(entries(directory), 1);
    CHECK(!store_is_file(path));
    fflush(stdout);
    _exit(check_result());
  }
  int status;
  CHECK_EQUAL(waitpid(child, &status, 0), child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  free(path);
  fixture_remove(directory);
}

/* ---- files that are no profile ---- */

static void check_refused(int line, const char *path, const char *expected) {
  struct profile *profile = NULL;
  struct error error = {""};
  check_equal(__FILE__, line, "store_load", store_load(path, &profile, &error), -1);
  check_contains(__FILE__, line, error.text, expected);
  CHECK(!profile);
  CHECK(!strchr(error.text, '\n'));
}

static void save_sample(const char *path) {
  struct profile *profile = sample();
  struct error error;
  CHECK_EQUAL(store_save(profile, path, &error), 0);
  profile_free(profile);
}

static void change(const char *path, const char *sql) {
  sqlite3 *database;
  sqlite3_open(path, &database);
  sqlite3_exec(database, "PRAGMA synchronous=OFF", NULL, NULL, NULL);
  char *message = NULL;
  sqlite3_exec(database, sql, NULL, NULL, &message);
  CHECK(!message);
  if (message) printf("%s: %s\n", sql, message);
  sqlite3_free(message);
  sqlite3_close(database);
}

/* Sorting, too, takes memory, and no room on a disk. */
static void too_much_memory(const char *directory) {
  char *path = path_in(directory, "asked.ascribe");
  sqlite3 *database = NULL;
  sqlite3_stmt *statement = NULL;
  struct error error;
  save_sample(path);
  CHECK_EQUAL(database_open(path, &database, &error), 0);
  CHECK_EQUAL(database_prepare(database, path,
                               "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
                               " SELECT count(DISTINCT hex(zeroblob(2000)) || i) FROM n",
                               &statement, &error),
              0);
  CHECK(database_step(statement) != SQLITE_ROW);
  database_error(database, path, &error);
  CHECK_CONTAINS(error.text, "out of memory");
  CHECK(sqlite3_memory_highwater(0) < 300 << 20);
  sqlite3_finalize(statement);
  sqlite3_close(database);
  free(path);
}

static bool goes_at_third_look(void *at) {
  return ++*(int *)at == 3;
}

/* A query without end, and who asked for it goes. */
static void nobody_waits(const char *directory) {
  char *path = path_in(directory, "left.ascribe");
  sqlite3 *database = NULL;
  sqlite3_stmt *statement = NULL;
  struct error error;
  int looks = 0;
  save_sample(path);
  CHECK_EQUAL(database_open(path, &database, &error), 0);
  CHECK_EQUAL(database_prepare(database, path,
                               "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
                               " SELECT count(*) FROM n",
                               &statement, &error),
              0);
  database_ask_for(goes_at_third_look, &looks);
  CHECK_EQUAL(database_step(statement), SQLITE_INTERRUPT);
  database_ask_for(NULL, NULL);
  CHECK_EQUAL(looks, 3);
  sqlite3_finalize(statement);
  sqlite3_close(database);
  free(path);
}

static void foreign_files(const char *directory) {
  char *path = path_in(directory, "foreign.ascribe");
  check_refused(__LINE__, path, "cannot be read");
  FILE *file = fopen(path, "w");
  fclose(file);
  check_refused(__LINE__, path, "not an Ascribe profile");
  file = fopen(path, "w");
  fputs("something else, and long enough to be looked into", file);
  fclose(file);
  check_refused(__LINE__, path, "not an Ascribe profile");
  unlink(path);
  change(path, "CREATE TABLE other(x)");
  check_refused(__LINE__, path, "not an Ascribe profile");
  check_refused(__LINE__, directory, "not an Ascribe profile");
  free(path);
}

/* Version 34 had a column for whether the process sends. */
static void late_ends_of_earlier_versions(const char *directory) {
  char *path = path_in(directory, "sends.ascribe");
  struct profile *profile = sample();
  struct error error = {""};
  CHECK_EQUAL(store_save(profile, path, &error), 0);
  profile_free(profile);
  change(path, "ALTER TABLE raw_message_delays RENAME COLUMN late_end TO sends;"
               " UPDATE raw_message_delays SET sends = 1; PRAGMA user_version=34");
  CHECK_EQUAL(store_load(path, &profile, &error), 0);
  CHECK_TEXT(error.text, "");
  CHECK_EQUAL(profile->message_delay_count, 1);
  CHECK_EQUAL(profile->message_delays[0].late_end, LATE_RECEIVER);
  profile_free(profile);
  free(path);
}

/* Whatever their tables are. */
static void files_of_other_versions(const char *directory) {
  char *path = path_in(directory, "other.ascribe");
  save_sample(path);
  change(path, "PRAGMA user_version=1000");
  check_refused(__LINE__, path, "made by a newer version of Ascribe (format 1000; this one reads");
  change(path, "ALTER TABLE raw_ticks RENAME COLUMN line TO row; PRAGMA user_version=2");
  check_refused(__LINE__, path, "made by an older version of Ascribe (format 2; this one reads");
  free(path);
}

/* What a later version of the format may add is left alone, and what it may drop is as if it had
 * never been used. */
static void columns_come_and_go(const char *directory) {
  char *path = path_in(directory, "columns.ascribe");
  struct profile *profile = NULL;
  struct error error;
  save_sample(path);
  change(path, "ALTER TABLE raw_ticks ADD COLUMN colour INTEGER;"
               "DROP VIEW call_sites; ALTER TABLE raw_sites DROP COLUMN in_doubt");
  CHECK_EQUAL(store_load(path, &profile, &error), 0);
  struct profile *whole = sample();
  check_calls(whole, profile);
  CHECK(!profile->sites[0].in_doubt);
  profile_free(profile);
  profile_free(whole);
  free(path);
}

static int number_in(sqlite3 *database, const char *sql) {
  sqlite3_stmt *statement = NULL;
  CHECK_EQUAL(sqlite3_prepare_v2(database, sql, -1, &statement, NULL), SQLITE_OK);
  int number = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int(statement, 0) : -1;
  sqlite3_finalize(statement);
  return number;
}

/* Made by version 19 of the format: each is read, and its views are those of today. */
static void files_of_version_19(void) {
  static const struct {
    const char *name;
    const char *question;
    int answer;
  } files[] = {{"small", "SELECT calls FROM old.functions WHERE name='fib'", 21891},
               {"contexts", "SELECT max(recursive_calls) FROM old.contexts", 8},
               {"expressions", "SELECT max(count) FROM old.expressions", 1000}};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    struct profile *profile = NULL;
    struct error error = {""};
    char path[PATH_MAX];
    sqlite3 *database;
    snprintf(path, sizeof path, "%s/version-19-%s.ascribe", PROFILES_OF_EARLIER_VERSIONS,
             files[i].name);
    CHECK_EQUAL(store_load(path, &profile, &error), 0);
    CHECK_TEXT(error.text, "");
    profile_free(profile);
    CHECK_EQUAL(sqlite3_open(":memory:", &database), SQLITE_OK);
    CHECK_EQUAL(store_attach(database, "old", path, NULL, &error), 0);
    CHECK_EQUAL(number_in(database, files[i].question), files[i].answer);
    CHECK_EQUAL(number_in(database, "PRAGMA old.user_version"), PROFILE_SCHEMA_VERSION);
    /* It counted the optimized program, which is said. */
    bool optimized = strcmp(files[i].name, "expressions") == 0;
    CHECK_EQUAL(number_in(database, "SELECT count(*) FROM old.objects WHERE message LIKE"
                                    " '%in the optimized program'"),
                optimized);
    sqlite3_close(database);
  }
}

/* A table that works out what it is asked for can work for ever. */
static void tables_that_compute(const char *directory) {
  char *path = path_in(directory, "computes.ascribe");
  save_sample(path);
  change(path, "DROP TABLE raw_counts; CREATE TABLE raw_counts(process INTEGER, site INTEGER,"
               " calls INTEGER AS (process + site))");
  check_refused(__LINE__, path, "raw_counts is not as Ascribe makes it");
  save_sample(path);
  change(path, "DROP TABLE raw_counts; CREATE VIEW raw_counts AS SELECT 1 AS process, 1 AS site,"
               " 1 AS calls");
  check_refused(__LINE__, path, "raw_counts is not as Ascribe makes it");
  save_sample(path);
  change(path, "DROP TABLE raw_counts; CREATE VIRTUAL TABLE raw_counts USING fts5(process, site,"
               " calls)");
  check_refused(__LINE__, path, "raw_counts is not as Ascribe makes it");
  free(path);
}

static void impossible_values(const char *directory) {
  static const char *const changes[] = {
      "UPDATE raw_transitions SET to_context=999 WHERE rowid=1",
      "UPDATE raw_transitions SET calls=-1 WHERE rowid=1",
      "UPDATE raw_transitions SET site=0 WHERE rowid=1",
      "UPDATE raw_transitions SET to_context=1 WHERE rowid=1",
      "UPDATE raw_contexts SET parent=id WHERE id=3",
      "UPDATE raw_contexts SET history='[1,2' WHERE history IS NOT NULL",
      "UPDATE raw_contexts SET history='[1,1,1]',depth=3 WHERE history IS NOT NULL",
      "UPDATE raw_contexts SET history='[1,-1]',depth=2 WHERE history IS NOT NULL",
      "UPDATE raw_contexts SET history='[1,99999999999999999999999]' WHERE history IS NOT NULL",
      "UPDATE raw_contexts SET depth=4000000000 WHERE id=3",
      "UPDATE raw_contexts SET thread=0 WHERE id=3",
      "UPDATE raw_contexts SET id=1000 WHERE id=3",
      "UPDATE raw_functions SET name=x'00ff' WHERE id=1",
      "UPDATE raw_functions SET kind=9 WHERE id=1",
      "UPDATE raw_functions SET object='here' WHERE id=1",
      "UPDATE raw_threads SET process=2",
      "UPDATE raw_threads SET spawned_in=100000",
      "UPDATE raw_ticks SET line=100000 WHERE rowid=1",
      "UPDATE raw_ticks SET stack=100000 WHERE rowid=1",
      "UPDATE raw_stacks SET parent=2 WHERE id=2",
      "UPDATE raw_instructions SET line=100000 WHERE rowid=1",
      "UPDATE raw_lines SET file=100 WHERE id=1",
      "UPDATE raw_sites SET callee=0.5 WHERE id=1",
      "UPDATE raw_sites SET expansion=5 WHERE id=1",
      "UPDATE raw_expansions SET parent=2 WHERE id=2",
      "UPDATE raw_expansions SET function=100000 WHERE id=1",
      "UPDATE raw_copies SET expression=2",
      "UPDATE raw_copies SET within=0",
      "UPDATE raw_copies SET expansion=3",
      "UPDATE raw_expressions SET kind=9",
      "UPDATE raw_line_counts SET file=100",
      "UPDATE raw_line_counts SET line=0",
      "UPDATE raw_line_counts SET state=4",
      "UPDATE raw_line_counts SET share=-1",
      "INSERT INTO raw_line_counts SELECT 2, file, line, function, state, 0, 0 FROM "
      "raw_line_counts",
      "UPDATE raw_expressions SET label='case 1'",
      "DELETE FROM raw_runs",
      "DELETE FROM raw_processes",
      "DROP TABLE raw_ticks",
      "ALTER TABLE raw_ticks RENAME COLUMN line TO row"};
  char *path = path_in(directory, "impossible.ascribe");
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    save_sample(path);
    change(path, "DROP VIEW functions; DROP VIEW arcs; DROP VIEW call_sites; DROP VIEW contexts;"
                 "DROP VIEW lines; DROP VIEW threads; DROP VIEW processes; DROP VIEW runs;"
                 "DROP VIEW run_functions; DROP VIEW spreads;"
                 "DROP VIEW objects; DROP VIEW sources; DROP VIEW instructions");
    change(path, changes[i]);
    int before = checks_failed;
    check_refused(__LINE__, path, "the profile is damaged");
    if (checks_failed > before) printf("after %s\n", changes[i]);
  }
  free(path);
}

static long file_bytes(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 ? (long)status.st_size : -1;
}

/* Damaged anywhere, a file is read or refused; either way nothing else happens. */
static void damaged_bytes(const char *directory) {
  char *path = path_in(directory, "damaged.ascribe");
  srand(5);
  save_sample(path);
  long bytes = file_bytes(path);
  for (int round = 0; round < 300; round++) {
    if (round % 20 == 0) save_sample(path);
    int descriptor = open(path, O_WRONLY);
    unsigned char noise = rand();
    for (int i = 0; i < 20; i++)
      CHECK_EQUAL(pwrite(descriptor, &noise, 1, 100 + rand() % (bytes - 100)), 1);
    close(descriptor);
    struct profile *profile = NULL;
    struct error error = {""};
    if (store_load(path, &profile, &error) == 0)
      costs_free(costs_compute(profile, NULL));
    else
      CHECK(error.text[0]);
    profile_free(profile);
  }
  free(path);
}

static void truncated_files(const char *directory) {
  char *path = path_in(directory, "truncated.ascribe");
  save_sample(path);
  for (long bytes = file_bytes(path) - 4096; bytes > 0; bytes -= 4096) {
    CHECK_EQUAL(truncate(path, bytes), 0);
    check_refused(__LINE__, path, path);
  }
  free(path);
}

static void write_file(const char *path, const char *text, time_t modified) {
  FILE *file = fopen(path, "w");
  CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
  const struct timespec times[2] = {{.tv_sec = modified}, {.tv_sec = modified}};
  CHECK_EQUAL(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* The text of the fixture's first function, whose file is `path`, as the profile keeps it. */
static struct source_copy saved_source(const char *saved, const char *object, const char *path,
                                       struct source_copy *on_disk) {
  struct profile *profile = sample();
  struct error error;
  struct source_copy copy = {0};
  profile->objects[0].path = object;
  profile->processes[0].started_ns = INT64_MAX; /* the file was there before */
  profile->functions[0].file = pool_string(profile->pool, path);
  store_source_on_disk(profile, profile->functions[0].file, on_disk);
  CHECK_EQUAL(store_save(profile, saved, &error), 0);
  CHECK_EQUAL(store_source(saved, path, &copy, &error), 0);
  profile_free(profile);
  return copy;
}

static void sources(const char *directory) {
  char *saved = path_in(directory, "sources.ascribe"), *object = path_in(directory, "program");
  char *path = path_in(directory, "source.c");
  struct source_copy copy, on_disk;
  struct error error;
  write_file(path, "int main;\n", 1000);
  write_file(object, "", 2000);
  copy = saved_source(saved, object, path, &on_disk);
  CHECK_TEXT(copy.text, "int main;\n");
  CHECK_EQUAL(copy.bytes, 10);
  CHECK(!copy.newer);
  CHECK_TEXT(on_disk.text, copy.text);
  CHECK(!on_disk.newer);
  free(on_disk.text);
  free(copy.text);
  write_file(path, "int main;\n", 3000);
  copy = saved_source(saved, object, path, &on_disk);
  CHECK(copy.newer);
  CHECK(on_disk.newer);
  free(on_disk.text);
  free(copy.text);
  CHECK_EQUAL(store_source(saved, "/no/such/file.c", &copy, &error), 0);
  CHECK(!copy.text);
  change(saved, "UPDATE raw_sources SET newer=7");
  CHECK_EQUAL(store_source(saved, path, &copy, &error), -1);
  CHECK_CONTAINS(error.text, "the profile is damaged");
  free(path);
  free(object);
  free(saved);
}

int main(void) {
  char *directory = fixture_directory();
  round_trip(directory);
  counts_without_contexts(directory);
  given_figures(directory);
  merged_runs(directory);
  sources(directory);
  older_file_is_replaced();
  names_that_are_free();
  directory_in_the_way();
  no_regular_file_in_the_way();
  no_such_directory();
  no_room();
  foreign_files(directory);
  too_much_memory(directory);
  nobody_waits(directory);
  late_ends_of_earlier_versions(directory);
  files_of_other_versions(directory);
  files_of_version_19();
  columns_come_and_go(directory);
  tables_that_compute(directory);
  impossible_values(directory);
  damaged_bytes(directory);
  truncated_files(directory);
  fixture_remove(directory);
  return check_result();
}
