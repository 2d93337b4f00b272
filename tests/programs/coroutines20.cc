/* Coroutines of C++20: their frames leave and come again through pieces that the compiler cut out,
 * on whatever stack resumes them; one is thrown through, one is destroyed while it waits.
 * EXPECT levels -O0 -O2 -O3
 * EXPECT compile -std=c++20
 * EXPECT output 4950 110 caught
 * EXPECT calls step(int) 110
 * EXPECT calls fails(int) 1
 * EXPECT calls counted::~counted() 2
 * EXPECT counted calls step(int) 110
 * EXPECT counted calls fails(int) 1
 * EXPECT counted calls counted::~counted() 2
 * EXPECT counted arc main numbers(int) 2
 * EXPECT counted arc main throws() 1
 */
#include <coroutine>
#include <exception>

#include "program.h"

static int steps;

KEEP int step(int n) {
  steps++;
  return n;
}

KEEP int fails(int n) {
  throw n;
}

struct counted {
  KEEP ~counted();
};
counted::~counted() {
  NOT_A_TAIL();
}

struct generator {
  struct promise_type {
    int value = 0;
    generator get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int n) {
      value = n;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { throw; }
  };
  std::coroutine_handle<promise_type> handle;
};

KEEP generator numbers(int most) {
  counted leaves;
  for (int i = 0; i < most; i++)
    co_yield step(i);
}

KEEP generator throws() {
  co_yield fails(1);
}

int main() {
  int sum = 0;
  generator all = numbers(100);
  while (all.handle.resume(), !all.handle.done())
    sum += all.handle.promise().value;
  all.handle.destroy();
  generator some = numbers(100);
  for (int i = 0; i < 10; i++)
    some.handle.resume();
  some.handle.destroy();
  printf("%d %d ", sum, steps);
  generator bad = throws();
  try {
    bad.handle.resume();
  } catch (int) {
    printf("caught\n");
  }
  bad.handle.destroy();
  return 0;
}
