/* Processes by the program that they ran. */
#include "attribution/process_groups.h"

#include "check.h"

static struct profile_process processes[] = {
    {.pid = 1, .executable = "/usr/bin/make", .command = "make -j2", .cpu_user_ns = 50},
    {.pid = 2, .executable = "/usr/bin/dash", .command = "/bin/sh -c a", .cpu_user_ns = 10},
    {.pid = 3, .executable = "/usr/lib/cc1", .command = "/usr/lib/cc1 a.c", .cpu_system_ns = 70},
    {.pid = 4, .executable = "/usr/bin/dash", .command = "sh -c b", .cpu_user_ns = 20},
    {.pid = 5, .executable = "/my programs/run it", .command = "/my programs/run it -x"},
    {.pid = 6, .executable = "/opt/unknown", .command = ""},
    {.pid = 7, .executable = "", .command = ""},
    {.pid = 8, .executable = "/usr/bin/dash", .command = ""},
    {.pid = 9, .executable = "/usr/bin/long_name_of_a_program", .command = ""},
};
enum { COUNT = sizeof processes / sizeof *processes };
static struct profile_thread threads[] = {
    {.process = 7, .tid = 88, .name = "another"},
    {.process = 7, .tid = 8, .name = "sh"},
    {.process = 8, .tid = 9, .name = "long_name_of_a_"},
};
static const struct profile profile = {
    .processes = processes, .process_count = COUNT, .threads = threads, .thread_count = 3};

static void names(void) {
  static const char *const expected[COUNT] = {
      "make", "sh", "cc1", "sh", "run it", "unknown", "", "sh", "long_name_of_a_program"};
  struct pool *pool = pool_create();
  for (size_t i = 0; i < COUNT; i++)
    CHECK_TEXT(process_name(&profile, i, pool), expected[i]);
  pool_free(pool);
  CHECK(process_has_name(&profile, 1, "sh") && process_has_name(&profile, 1, "dash"));
  CHECK(process_has_name(&profile, 1, "/usr/bin/dash"));
  CHECK(process_has_name(&profile, 7, "sh") && !process_has_name(&profile, 6, ""));
  CHECK(!process_has_name(&profile, 1, "bin/dash") && !process_has_name(&profile, 1, ""));
}

static void groups(void) {
  struct process_groups *found = process_groups_find(&profile, NULL);
  CHECK_EQUAL(found->count, 7);
  CHECK_TEXT(found->list[0].name, "cc1");
  CHECK_TEXT(found->list[1].name, "make");
  CHECK_TEXT(found->list[2].name, "sh");
  CHECK_EQUAL(found->list[2].count, 3);
  CHECK_EQUAL(found->list[2].user_ns, 30);
  CHECK_EQUAL(found->list[2].processes[0], 3); /* more CPU time */
  CHECK_EQUAL(found->list[2].processes[1], 1);
  process_groups_free(found);
}

static void part(void) {
  bool selected[COUNT] = {[1] = true};
  struct process_groups *found = process_groups_find(&profile, selected);
  CHECK_EQUAL(found->count, 1);
  CHECK_EQUAL(found->list[0].count, 1);
  CHECK_EQUAL(found->list[0].user_ns, 10);
  process_groups_free(found);
}

int main(void) {
  names();
  groups();
  part();
  return check_result();
}
