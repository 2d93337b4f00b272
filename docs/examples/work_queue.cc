// A queue of std::function: ascribe::carry makes a callable carry its maker's cost centre. Work
// that work puts into the queue is its maker's, too. The example of docs/COST_CENTRES.md. g++ -O2
// -g work_queue.cc
#include <ascribe/ascribe.h>
#include <cstdio>
#include <deque>
#include <functional>
#include <memory>

static std::deque<std::function<void()>> queue;

template <class Work> static void later(Work &&work) {
  queue.push_back(ascribe::carry(std::forward<Work>(work)));
}

static volatile unsigned checksum;

static void compute(unsigned value) {
  for (int i = 0; i < 300000; i++)
    value = value * 1103515245 + 12345;
  checksum = value;
}

static void request(int number) {
  ASCRIBE_SCOPE("request");
  auto name = std::make_shared<int>(number);
  later([name] {
    compute(*name);
    later([name] {
      ASCRIBE_SCOPE("answer");
      compute(*name);
    });
  });
}

static void clean_up() {
  ASCRIBE_SCOPE("clean up");
  later([] { compute(1); });
}

static int run_queue() {
  ASCRIBE_SCOPE("loop");
  int ran = 0;
  for (; !queue.empty(); queue.pop_front(), ran++)
    queue.front()();
  return ran;
}

int main() {
  for (int i = 0; i < 200; i++) {
    request(i);
    if (i % 2) clean_up();
  }
  std::printf("%d pieces of work\n", run_queue());
}
