// Exceptions through frames with and without hooks, caught in either.
#include <stdexcept>
#include <string>

#include "fixture.h"

#define APART __attribute__((noipa))
#define WITHOUT_HOOKS __attribute__((noipa, no_instrument_function))

namespace {

volatile int sink;
int destroyed;

APART void at_destruction() {
  destroyed++;
}

struct guard {
  const char *path;
  explicit guard(const char *path) : path(path) {}
  APART ~guard() { at_destruction(); }
};

APART void thrower(int depth) {
  if (depth == 0) throw std::runtime_error("here");
  thrower(depth - 1);
  sink = sink + 1;
}

APART void through_destructors(int depth) {
  guard held("x");
  if (depth == 0)
    thrower(3);
  else
    through_destructors(depth - 1);
  sink = sink + 1;
}

APART int catches() {
  try {
    through_destructors(5);
  } catch (const std::exception &error) {
    fixture_expect("main>catches");
    return std::string(error.what()) == "here";
  }
  return 0;
}

APART int rethrows() {
  try {
    thrower(2);
  } catch (...) {
    fixture_expect("main>outer>rethrows");
    throw;
  }
  return 0;
}

APART int outer() {
  try {
    return rethrows();
  } catch (const std::runtime_error &) {
    fixture_expect("main>outer");
  }
  return 1;
}

APART void after_catch() {
  fixture_expect("main>calls_hookless>after_catch");
  sink = 0; // no tail call
}

WITHOUT_HOOKS int hookless_catch() {
  try {
    thrower(4);
  } catch (...) {
    after_catch();
    return 1;
  }
  return 0;
}

APART int calls_hookless() {
  int result = hookless_catch();
  fixture_expect("main>calls_hookless");
  return result;
}

WITHOUT_HOOKS void hookless_middle() {
  thrower(2);
  sink = sink + 1;
}

APART int across_hookless() {
  try {
    hookless_middle();
  } catch (...) {
    fixture_expect("main>across_hookless");
    return 1;
  }
  return 0;
}

struct member {
  explicit member(int n) {
    if (n == 1) throw n;
  }
};
struct whole {
  guard first{"x"};
  member second;
  APART explicit whole(int n) try : second(n) {
  } catch (int) {
    fixture_expect("main>builds>?");
  }
};

APART int builds() {
  try {
    whole made(1);
  } catch (int) {
    fixture_expect("main>builds");
    return 1;
  }
  return 0;
}

struct base {
  virtual ~base() {}
  virtual base *self(int n) = 0;
};
struct other {
  long pad = 0;
  virtual ~other() {}
  virtual other *again(int n) = 0;
};
struct derived : base, other {
  derived *self(int) override { return this; }
  derived *again(int) override { return this; } // through a thunk with a covariant result
};

APART int thunks(other *object) {
  return object->again(1) == object;
}

APART int nothing_thrown(int n) noexcept {
  return n + 1;
}

} // namespace

int main() {
  FIXTURE_NAME(main), FIXTURE_NAME(catches), FIXTURE_NAME(outer), FIXTURE_NAME(rethrows);
  FIXTURE_NAME(calls_hookless), FIXTURE_NAME(after_catch), FIXTURE_NAME(across_hookless);
  FIXTURE_NAME(builds);
  if (!catches()) return 1;
  fixture_expect("main");
  fixture_expect_calls("thrower", (const void *)thrower, 4);
  if (destroyed != 6 || !outer()) return 2;
  fixture_expect("main");
  if (!calls_hookless()) return 3;
  fixture_expect("main");
  if (!across_hookless()) return 4;
  fixture_expect("main");
  if (!builds()) return 5;
  fixture_expect("main");
  derived object;
  if (!thunks(&object)) return 6;
  fixture_expect("main");
  if (nothing_thrown(1) != 2) return 7;
  fixture_expect("main");
  return fixture_faults();
}
