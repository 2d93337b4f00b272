/* CPU time is shared out whole, and by what is known of each thread. */
#include "outside/cpu_times.h"

#include <stdlib.h>

#include "check.h"

enum { MILLISECOND = 1000000 };

struct fixture {
  struct process_tree tree;
  struct process_image images[4];
  struct process_image *list[4];
  struct image_thread threads[4][2];
  struct thread_entry entries[4][2];
};

/* Programs with two threads each, without ticks. */
static void make(struct fixture *fixture, size_t count) {
  memset(fixture, 0, sizeof *fixture);
  for (size_t i = 0; i < count; i++) {
    fixture->images[i].threads = fixture->threads[i];
    fixture->images[i].entries = fixture->entries[i];
    fixture->images[i].thread_count = 2;
    fixture->list[i] = &fixture->images[i];
  }
  fixture->tree.images = fixture->list;
  fixture->tree.count = count;
}

static void count_thread(struct process_image *image, uint32_t thread, uint64_t ns) {
  image->threads[thread].counted = true;
  image->entries[thread].cpu_ns = ns;
  image->counted_ns += ns;
}

static uint64_t whole(const struct process_image *image) {
  return image->user_ns + image->system_ns;
}

/* A process that ended has its count; what is left is the other's. */
static void counted_first(void) {
  struct fixture fixture;
  make(&fixture, 2);
  struct process_image *parent = &fixture.images[0], *child = &fixture.images[1];
  parent->threads[0].ticks = parent->user_ticks = 30;
  child->threads[0].ticks = child->user_ticks = 9;
  count_thread(child, 0, 10 * MILLISECOND);
  count_thread(child, 1, 0);
  cpu_times_share(&fixture.tree, 42 * MILLISECOND, MILLISECOND, false);
  CHECK_EQUAL(whole(parent), 32 * MILLISECOND);
  CHECK_EQUAL(whole(child), 10 * MILLISECOND);
  CHECK_EQUAL(parent->system_ns + child->system_ns, 0);
  CHECK_EQUAL(parent->entries[0].cpu_ns, 32 * MILLISECOND);
}

/* By their ticks, where nothing else is known. */
static void rest_by_ticks(void) {
  struct fixture fixture;
  make(&fixture, 1);
  struct process_image *image = &fixture.images[0];
  image->threads[0].ticks = 1;
  image->threads[1].ticks = 3;
  image->user_ticks = 3;
  image->kernel_ticks = 1;
  cpu_times_share(&fixture.tree, 8 * MILLISECOND, MILLISECOND, false);
  CHECK_EQUAL(image->user_ns, 6 * MILLISECOND);
  CHECK_EQUAL(image->system_ns, 2 * MILLISECOND);
  CHECK_EQUAL(image->entries[0].cpu_ns, 2 * MILLISECOND);
  CHECK_EQUAL(image->entries[1].cpu_ns, 6 * MILLISECOND);
}

/* The count of a process comes when it ends: its programs share it. */
static void programs_of_one_process(void) {
  struct fixture fixture;
  make(&fixture, 2);
  struct process_image *shell = &fixture.images[0], *program = &fixture.images[1];
  program->previous = shell;
  shell->replaced = true;
  shell->threads[0].counted = shell->threads[1].counted = true;
  shell->user_ticks = 10;
  program->user_ticks = 30;
  count_thread(program, 0, 40 * MILLISECOND);
  count_thread(program, 1, 0);
  cpu_times_share(&fixture.tree, 40 * MILLISECOND, MILLISECOND, false);
  CHECK_EQUAL(whole(shell), 10 * MILLISECOND);
  CHECK_EQUAL(whole(program), 30 * MILLISECOND);
}

/* User code alone has ticks: they say how much of the whole it is. */
static void system_time_without_ticks(void) {
  struct fixture fixture;
  make(&fixture, 1);
  struct process_image *image = &fixture.images[0];
  image->threads[0].ticks = image->user_ticks = 30;
  image->drops[DROP_TICKS] = 5;
  cpu_times_share(&fixture.tree, 50 * MILLISECOND, MILLISECOND, true);
  CHECK_EQUAL(image->user_ns, 35 * MILLISECOND);
  CHECK_EQUAL(image->system_ns, 15 * MILLISECOND);
}

/* A tick stands for more than all that a short process took: the sum stays right. */
static void short_processes(void) {
  struct fixture fixture;
  make(&fixture, 3);
  for (uint32_t i = 0; i < 2; i++) {
    count_thread(&fixture.images[i], 0, MILLISECOND / 2);
    count_thread(&fixture.images[i], 1, 0);
  }
  count_thread(&fixture.images[2], 0, 10 * MILLISECOND);
  count_thread(&fixture.images[2], 1, 0);
  fixture.images[0].user_ticks = 1;
  fixture.images[2].user_ticks = 9;
  cpu_times_share(&fixture.tree, 11 * MILLISECOND, MILLISECOND, true);
  uint64_t user = 0, all = 0;
  for (uint32_t i = 0; i < 3; i++) {
    user += fixture.images[i].user_ns;
    all += whole(&fixture.images[i]);
  }
  CHECK_EQUAL(all, 11 * MILLISECOND);
  CHECK(user <= 10 * MILLISECOND && user + 3 >= 10 * MILLISECOND); /* each is rounded down */
  CHECK_EQUAL(whole(&fixture.images[0]), MILLISECOND / 2);
}

/* No tick at all: the program that was started has it all. */
static void no_ticks(void) {
  struct fixture fixture;
  make(&fixture, 2);
  fixture.images[0].replaced = true;
  fixture.images[1].previous = &fixture.images[0];
  cpu_times_share(&fixture.tree, MILLISECOND, MILLISECOND, true);
  CHECK_EQUAL(whole(&fixture.images[0]), 0);
  CHECK_EQUAL(whole(&fixture.images[1]), MILLISECOND);
}

int main(void) {
  counted_first();
  rest_by_ticks();
  programs_of_one_process();
  system_time_without_ticks();
  short_processes();
  no_ticks();
  return check_result();
}
