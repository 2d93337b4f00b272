/* Frames of flame graphs: top-down, bottom-up, zoomed, of a thread, of functions. */
#include "view/flame_layout.h"

#include "check.h"

/* 1 calls 2 and 3; 2 calls 3, which calls 2 again. Times: 1:10, 2:20, 3 below 2:30, 2 below it: 40,
 * 3 below 1: 50, of thread 2; 4, elsewhere: 1. */
static struct flame_node nodes[] = {{0, 0, 6, 0}, {0, 1, 5, 0}, {1, 2, 3, 0}, {2, 3, 4, 0},
                                    {3, 2, 0, 0}, {1, 3, 0, 2}, {0, 4, 0, 1}};
static struct flame_time times[] = {{1, 1, 10}, {2, 1, 20}, {3, 1, 30},
                                    {4, 1, 40}, {5, 2, 50}, {6, 1, 1}};
static const struct flame_tree tree = {nodes, times, 7, 6};

/* Frames as "depth:function@start+total(self)", "*" behind folded ones. */
static const char *frames(const struct flame_selection *selection, double least,
                          struct flame_layout *layout) {
  static char text[1024];
  text[0] = '\0';
  flame_layout_make(&tree, selection, least, layout);
  for (size_t i = 0; i < layout->count; i++) {
    const struct flame_frame *frame = &layout->frames[i];
    snprintf(text + strlen(text), sizeof text - strlen(text),
             "%s%u:%u@%" PRIu64 "+%" PRIu64 "(%" PRIu64 ")%s", i ? " " : "", frame->depth,
             frame->function, frame->start_ns, frame->total_ns, frame->self_ns,
             frame->fold ? "*" : "");
  }
  return text;
}

static void top_down(void) {
  struct flame_layout layout;
  struct flame_selection all = {0};
  CHECK_TEXT(frames(&all, 0, &layout),
             "0:1@0+150(10) 1:2@0+90(20) 2:3@0+70(30) 3:2@0+40(40)* 1:3@90+50(50) 0:4@150+1(1)");
  CHECK_EQUAL(layout.whole_ns, 151);
  CHECK_EQUAL(layout.left_out_ns, 0);
  flame_layout_free(&layout);
  CHECK_TEXT(frames(&all, 0.1, &layout),
             "0:1@0+150(10) 1:2@0+90(20) 2:3@0+70(30) 3:2@0+40(40)* 1:3@90+50(50)");
  CHECK_EQUAL(layout.left_out_ns, 1);
  flame_layout_free(&layout);
}

/* Sets of one function, by its id. */
static bool has[][5] = {
    {0}, {false, true}, {false, false, true}, {false, false, false, true}, {[4] = true}};
static const struct id_set only[] = {{0},
                                     {.has = has[1], .size = 5},
                                     {.has = has[2], .size = 5},
                                     {.has = has[3], .size = 5},
                                     {.has = has[4], .size = 5}};

static void selected(void) {
  struct flame_layout layout;
  const struct id_set *way[] = {&only[1], &only[2]}, *nowhere[] = {&only[1], &only[4]};
  struct flame_selection zoomed = {.root = way, .root_length = 2};
  CHECK_TEXT(frames(&zoomed, 0, &layout), "0:3@0+70(30) 1:2@0+40(40)*");
  CHECK_EQUAL(layout.root_ns, 90);
  flame_layout_free(&layout);
  struct flame_selection lost = {.root = nowhere, .root_length = 2};
  CHECK_TEXT(frames(&lost, 0, &layout), "");
  flame_layout_free(&layout);
  struct flame_selection thread = {.thread = 2};
  CHECK_TEXT(frames(&thread, 0, &layout), "0:1@0+50(0) 1:3@0+50(50)");
  flame_layout_free(&layout);
  struct flame_selection focus = {.focus = &only[3]};
  CHECK_TEXT(frames(&focus, 0, &layout),
             "0:1@0+120(0) 1:2@0+70(0) 2:3@0+70(30) 3:2@0+40(40)* 1:3@70+50(50)");
  CHECK_EQUAL(layout.whole_ns, 120);
  flame_layout_free(&layout);
}

/* Its outermost frame counts: 2 is once more below itself. */
static void around(void) {
  struct flame_layout layout;
  struct flame_selection callers = {.around = 3, .bottom_up = true}, callees = {.around = 3};
  CHECK_TEXT(frames(&callers, 0, &layout), "0:3@0+120(0) 1:2@0+70(0) 2:1@0+70(70) 1:1@70+50(50)");
  CHECK_EQUAL(layout.root_ns, 120);
  flame_layout_free(&layout);
  CHECK_TEXT(frames(&callees, 0, &layout), "0:3@0+120(80) 1:2@0+40(40)");
  flame_layout_free(&layout);
  struct flame_selection again = {.around = 2};
  CHECK_TEXT(frames(&again, 0, &layout), "0:2@0+90(20) 1:3@0+70(30) 2:2@0+40(40)*");
  CHECK_EQUAL(layout.root_ns, 90);
  flame_layout_free(&layout);
}

static void bottom_up(void) {
  struct flame_layout layout;
  struct flame_selection all = {.bottom_up = true};
  CHECK_TEXT(frames(&all, 0, &layout),
             "0:3@0+80(0) 1:1@0+50(50) 1:2@50+30(0) 2:1@50+30(30)"
             " 0:2@80+60(0) 1:3@80+40(0) 2:2@80+40(0)* 3:1@80+40(40) 1:1@120+20(20)"
             " 0:1@140+10(10) 0:4@150+1(1)");
  flame_layout_free(&layout);
  const struct id_set *way[] = {&only[3], &only[2]};
  struct flame_selection zoomed = {.bottom_up = true, .root = way, .root_length = 2};
  CHECK_TEXT(frames(&zoomed, 0, &layout), "0:1@0+30(30)");
  CHECK_EQUAL(layout.root_ns, 30);
  flame_layout_free(&layout);
}

static void nothing(void) {
  static struct flame_node root[1];
  const struct flame_tree empty = {root, NULL, 1, 0};
  struct flame_layout layout;
  for (int up = 0; up < 2; up++) {
    struct flame_selection all = {.bottom_up = up};
    flame_layout_make(&empty, &all, 0, &layout);
    CHECK_EQUAL(layout.count, 0);
    flame_layout_free(&layout);
  }
}

int main(void) {
  top_down();
  selected();
  around();
  bottom_up();
  nothing();
  return check_result();
}
