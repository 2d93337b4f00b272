/* A language host that enters nothing and tells its stack: in ticks, or at its next safe point.
 * EXPECT record -r 2000
 * EXPECT output 0
 * EXPECT share in-ticks measured
 * EXPECT share later measured
 * EXPECT share nested measured
 * EXPECT share deep measured
 * EXPECT never in-ticks later
 * EXPECT calls gone 1
 * EXPECT dropped 8
 * EXPECT dropped 9
 * EXPECT sampled cut some
 */
#include "program.h"

#include <ascribe/host.h>

enum { IN_TICKS, LATER, NESTED, DEEP, WRONG, GONE, FUNCTIONS, DEPTH = 10000 };
#define PART 20000000

/* What the program runs: its calls that have not returned, outermost first. */
static ascribe_point calls[DEPTH], functions[FUNCTIONS];
static volatile int depth;
static volatile int is_asked;
static volatile uint64_t told;

static int tell(ascribe_point *points, int room, void *data) {
  int count = depth;
  for (int i = 0; i < room && i < count; i++)
    points[i] = calls[count - 1 - i];
  told += data == &told;
  return count;
}

static int put_off(ascribe_point *points, int room, void *data) {
  (void)points, (void)room, (void)data;
  is_asked = 1;
  return ASCRIBE_STACK_LATER;
}

static void safe_point(void) {
  static ascribe_point points[DEPTH];
  if (!is_asked) return;
  is_asked = 0;
  int count = tell(points, DEPTH, NULL);
  ascribe_host_stack_now(points, (uint32_t)count);
}

/* The memory of frames may be gone: a list that leads to anywhere. */
struct frame {
  const struct frame *caller;
  ascribe_point point;
};
static const struct frame *frames;
static const ascribe_point garbage_point = 0x1234567812345678;

static int walk(ascribe_point *points, int room, void *data) {
  struct frame frame;
  int count = 0;
  (void)data;
  for (const struct frame *at = frames; at && count < room; at = frame.caller) {
    if (ascribe_host_copy(&frame, at, sizeof frame) != sizeof frame) break;
    points[count++] = frame.point;
  }
  return count < room ? count : room + 1;
}

static void run(int function, int frames_in_all) {
  for (; depth < frames_in_all; depth++)
    calls[depth] = functions[function];
  for (int i = 0; i < 20; i++) {
    burn(PART / 20);
    safe_point();
  }
  depth = 0;
}

/* Frames in a circle, frames that are not there, and points that were never given out. */
static void run_wrong(void) {
  static struct frame circle = {&circle, 0}, wild = {(const struct frame *)16, 0};
  static struct frame garbage = {NULL, 0x1234567812345678};
  circle.point = wild.point = functions[WRONG];
  const struct frame *const all[] = {&circle, &wild, (const struct frame *)8, &garbage};
  ascribe_host_stack(walk, NULL);
  for (int i = 0; i < 4; i++) {
    frames = all[i];
    burn(PART / 10);
  }
  frames = NULL;
}

/* Its code goes while it is active. */
static void run_gone(void) {
  uint32_t caller = ascribe_enter(functions[GONE], 0);
  ascribe_host_forget(&functions[GONE], 1);
  burn(PART / 2);
  ascribe_leave(caller);
  for (int i = 0; i < 10; i++)
    ascribe_leave(ascribe_enter(functions[GONE], 0));
  ascribe_host_stack(tell, (void *)&told);
  calls[depth++] = functions[GONE];
  burn(PART / 10);
  depth = 0;
  ascribe_host_forget(&functions[GONE], 1);
  ascribe_host_forget(&garbage_point, 1);
}

int main(void) {
  long long in_ticks_ns = 0, later_ns = 0, nested_ns = 0, deep_ns = 0;
  ascribe_host_begin();
  uint32_t world = ascribe_host_world("script"), file = ascribe_host_file(world, "/script");
  static const char *const names[] = {"in-ticks", "later", "nested", "deep", "wrong", "gone"};
  for (uint32_t i = 0; i < FUNCTIONS; i++)
    functions[i] = ascribe_host_function(world, names[i], file, ascribe_range_at(i + 1, 1));
  ascribe_host_stack(tell, (void *)&told);
  MEASURE(in_ticks_ns, run(IN_TICKS, 1));
  MEASURE(nested_ns, run(NESTED, 3));
  MEASURE(deep_ns, run(DEEP, DEPTH));
  ascribe_host_stack(put_off, NULL);
  MEASURE(later_ns, run(LATER, 2));
  burn(PART / 10); /* and it tells nothing */
  run_wrong();
  run_gone();
  ascribe_host_stack(NULL, NULL);
  expect_share("in-ticks", in_ticks_ns);
  expect_share("nested", nested_ns);
  expect_share("deep", deep_ns);
  expect_share("later", later_ns);
  printf("%d\n", ascribe_host_recorded() && !told);
  return 0;
}
