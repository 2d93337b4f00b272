/* Allocates blocks of many kinds: how many of each, and how large they are, stands in
 * kinds_are_told of heap.py. */
#include <cstdlib>
#include <ctime>
#include <list>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include <ascribe/ascribe.h>

#define KEEP __attribute__((noinline, noclone))

struct point {
  double x, y, z;
};
struct shape {
  point corners[10];
};

/* ---- named by the program ---- */

struct node {
  node *next;
  char text[92];
};

KEEP static node *make_node(node *next) {
  node *made = static_cast<node *>(malloc(sizeof *made));
  ascribe_kind(made, "node");
  made->next = next;
  return made;
}

/* One function makes two kinds. */
KEEP static void *make(const char *kind, size_t bytes) {
  void *made = malloc(bytes);
  ascribe_kind(made, kind);
  return made;
}

/* Longer than a slice of time takes. */
KEEP static void work() {
  for (clock_t start = clock(); clock() - start < CLOCKS_PER_SEC / 20;)
    ;
}

/* Named after other blocks were allocated, by another thread, and named again much later. */
KEEP static void late() {
  void *blocks[50];
  for (void *&block : blocks)
    block = malloc(200);
  std::thread([&] {
    for (void *block : blocks)
      ascribe_kind(block, "early");
  }).join();
  work();
  for (void *block : blocks)
    ascribe_kind(block, "late");
  for (int i = 0; i < 20; i++)
    free(blocks[i]);
}

/* An exception is none of the characters that it has. */
KEEP static int thrown() {
  static const std::string text(30, 'x');
  int caught = 0;
  for (int i = 0; i < 15; i++)
    try {
      caught += text.at(100);
    } catch (const std::out_of_range &) {
      caught++;
    }
  return caught;
}

KEEP static void unnamed() {
  for (int i = 0; i < 30; i++)
    free(malloc(24));
  ascribe_kind(nullptr, "nothing");
  ascribe_kind(reinterpret_cast<void *>(work), nullptr);
  int on_stack = 0;
  ascribe_kind(&on_stack, "nothing");
}

static void named() {
  node *list = nullptr;
  for (int i = 0; i < 1000; i++)
    list = make_node(list);
  for (int i = 0; i < 400; i++) {
    node *next = list->next;
    free(list);
    list = next;
  }
  for (int i = 0; i < 60; i++)
    make(i % 3 ? "odd" : "even", 1000);
  late();
  unnamed();
}

/* ---- by C++ allocators ---- */

KEEP static size_t typed() {
  static std::vector<point> points;
  points.reserve(100);
  static std::map<int, shape> shapes;
  for (int i = 0; i < 70; i++)
    shapes[i].corners[0].x = i;
  static std::list<std::string> texts;
  for (int i = 0; i < 40; i++)
    texts.push_back(std::string(100, 'x'));
  static std::unordered_map<long, point> by_number;
  for (int i = 0; i < 25; i++)
    by_number[i].x = i;
  static std::shared_ptr<shape> shared = std::make_shared<shape>();
  return points.size() + shapes.size() + texts.size() + by_number.size();
}

int main() {
  named();
  size_t count = typed();
  work();
  return count == 0 || thrown() != 15;
}
