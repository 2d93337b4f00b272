/* Deferred work: its maker is charged, whoever runs it gets its own centre back, and no entry is
 * counted. A false token changes nothing.
 * EXPECT compile -std=c++11
 * EXPECT link -pthread
 * EXPECT output 300 5 7
 * EXPECT entries parse 1
 * EXPECT entries worker 1
 * EXPECT entries step 300
 * EXPECT entries false 1
 * EXPECT inside parse step 300
 * EXPECT inside worker false 1
 * EXPECT centre-share parse total 0.8 1
 * EXPECT centre-share worker self 0 0.1
 */
#define BRIEF_UNLESS_RECORDED
#include "program.h"

#include <ascribe/ascribe.h>
#include <deque>
#include <functional>
#include <memory>
#include <thread>

static volatile int steps;

static void step() {
  ASCRIBE_SCOPE("step");
  steps++;
  burn(1000000);
}

struct owner {
  std::unique_ptr<int> value;
  int operator()() { return *value; }
};

int main() {
  std::deque<std::function<void()>> queue;
  {
    ASCRIBE_SCOPE("parse");
    const auto carried = ascribe::carry(step);
    for (int i = 0; i < 299; i++)
      queue.push_back(ascribe::carry(step));
    queue.push_back([carried] { carried(); });
  }
  owner owned{std::unique_ptr<int>(new int(5))};
  auto once = ascribe::carry(std::move(owned));
  int value = 0;
  std::thread worker([&] {
    ASCRIBE_SCOPE("worker");
    for (auto &work : queue)
      work();
    value = once();
    struct ascribe_captured nonsense = {12345, 67890};
    ASCRIBE_RESUME(nonsense);
    ASCRIBE_SCOPE("false");
  });
  worker.join();
  printf("%d %d %d\n", steps, value, 7);
}
