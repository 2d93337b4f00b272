/* Coroutines run in their maker's centre wherever they are resumed: on other threads, by another
 * caller, after an exception. A scope that is held across co_await goes with the coroutine; whoever
 * resumed or destroyed it gets its own centre back.
 * EXPECT compile -std=c++20
 * EXPECT link -pthread
 * EXPECT output 90 45 4 2 1 7
 * EXPECT entries step 90
 * EXPECT inside parse step 60
 * EXPECT inside parse held step 30
 * EXPECT inside worker after 60
 * EXPECT inside query row 10
 * EXPECT inside report each 11
 * EXPECT inside eager began 1
 * EXPECT inside eager held ends 1
 * EXPECT inside eager went_on 2
 * EXPECT inside makes held cleanup 1
 * EXPECT inside destroys gone 1
 * EXPECT inside throws thrown 1
 * EXPECT inside catches caught 1
 * EXPECT inside outer called 2
 * EXPECT inside outer call callee 2
 * EXPECT inside outer call refused 1
 * EXPECT inside drives driven 2
 * EXPECT centres parse held step worker after query row report each eager began ends went_on makes cleanup destroys gone throws thrown catches caught outer called call callee refused drives driven
 * EXPECT centre-share parse total 0.8 1
 * EXPECT centre-share worker self 0 0.1
 */
#define BRIEF_UNLESS_RECORDED
#include "program.h"

#include <ascribe/ascribe.h>
#include <coroutine>
#include <deque>
#include <pthread.h> /* <thread> takes a third of the time to compile */

static volatile int steps;

static void count(int n) {
  steps = steps + n;
}

/* ---- tasks that move between two threads ---- */

class locked {
  pthread_mutex_t &mutex;

public:
  locked(pthread_mutex_t &lock) : mutex(lock) { pthread_mutex_lock(&mutex); }
  ~locked() { pthread_mutex_unlock(&mutex); }
};

class worker {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
  std::deque<std::coroutine_handle<>> queue;
  pthread_t thread;

  std::coroutine_handle<> next() {
    locked here(lock);
    while (queue.empty())
      pthread_cond_wait(&arrived, &lock);
    auto work = queue.front();
    queue.pop_front();
    return work;
  }
  void run() {
    ASCRIBE_SCOPE("worker");
    while (auto work = next()) {
      work.resume();
      ASCRIBE_SCOPE("after");
      count(0);
    }
  }
  static void *begin(void *self) {
    static_cast<worker *>(self)->run();
    return nullptr;
  }

public:
  worker() {
    if (pthread_create(&thread, nullptr, begin, this) != 0) abort();
  }
  void push(std::coroutine_handle<> work) {
    locked here(lock);
    queue.push_back(work);
    pthread_cond_signal(&arrived);
  }
  void end() {
    push(nullptr);
    pthread_join(thread, nullptr);
  }
};

struct move_to {
  worker &to;
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> handle) { to.push(handle); }
  void await_resume() {}
};

/* Begins at once, is gone at its end. */
struct task {
  struct promise_type : ascribe::carried_promise {
    task get_return_object() { return {}; }
    auto initial_suspend() noexcept { return carry(std::suspend_never()); }
    auto final_suspend() noexcept { return carry(std::suspend_never()); }
    void return_void() {}
    void unhandled_exception() { abort(); }
  };
};

static void step() {
  ASCRIBE_SCOPE("step");
  count(1);
  burn(3000000);
}

static pthread_mutex_t one_at_a_time =
    PTHREAD_MUTEX_INITIALIZER; /* the counter's, and tells when all are done */
static int tasks_done;

static task steps_on(worker &first, worker &second) {
  co_await move_to{first};
  {
    locked here(one_at_a_time);
    step();
  }
  {
    ASCRIBE_SCOPE("held");
    co_await move_to{second};
    locked here(one_at_a_time);
    step();
  }
  locked here(one_at_a_time);
  step();
  tasks_done++;
}

static void threads() {
  worker first, second;
  {
    ASCRIBE_SCOPE("parse");
    for (int i = 0; i < 30; i++)
      steps_on(first, second);
  }
  first.end();
  second.end();
}

/* ---- what the caller resumes ---- */

struct generator {
  struct promise_type : ascribe::carried_promise {
    int value = 0;
    generator get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    auto yield_value(int n) {
      value = n;
      return carry(std::suspend_always());
    }
    void return_void() {}
    void unhandled_exception() {
      leave();
      throw;
    }
  };
  std::coroutine_handle<promise_type> handle;
};

static generator rows(int most) {
  for (int i = 0; i < most; i++) {
    int row = 0;
    {
      ASCRIBE_SCOPE("row");
      row = i;
    }
    co_yield row;
  }
}

static generator made() {
  ASCRIBE_SCOPE("query");
  return rows(10);
}

static int generates() {
  int sum = 0;
  generator all = made();
  ASCRIBE_SCOPE("report");
  for (bool more = true; more;) {
    all.handle.resume();
    ASCRIBE_SCOPE("each");
    more = !all.handle.done();
    if (more) sum += all.handle.promise().value;
  }
  all.handle.destroy();
  return sum;
}

/* ---- one that begins at once and waits in a scope ---- */

static std::coroutine_handle<> waiting;
struct wait_here {
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> handle) { waiting = handle; }
  void await_resume() {}
};

static task waits() {
  {
    ASCRIBE_SCOPE("began");
    count(0);
  }
  ASCRIBE_SCOPE("held");
  co_await wait_here();
  ASCRIBE_SCOPE("ends");
  count(0);
}

static int begins_at_once() {
  ASCRIBE_SCOPE("eager");
  waits();
  {
    ASCRIBE_SCOPE("went_on");
    count(0);
  }
  waiting.resume();
  ASCRIBE_SCOPE("went_on");
  return 4;
}

/* ---- destroyed in a scope, and left by an exception ---- */

struct cleans_up {
  ~cleans_up() {
    ASCRIBE_SCOPE("cleanup");
    count(0);
  }
};

static generator holds() {
  ASCRIBE_SCOPE("held");
  cleans_up at_end;
  co_yield 1;
}

static int is_destroyed() {
  generator some = [] {
    ASCRIBE_SCOPE("makes");
    return holds();
  }();
  some.handle.resume();
  ASCRIBE_SCOPE("destroys");
  some.handle.destroy();
  ASCRIBE_SCOPE("gone");
  return 2;
}

static generator fails() {
  ASCRIBE_SCOPE("thrown");
  throw 1;
  co_yield 0;
}

static int is_left() {
  int value = 0;
  generator bad = [] {
    ASCRIBE_SCOPE("throws");
    return fails();
  }();
  ASCRIBE_SCOPE("catches");
  try {
    bad.handle.resume();
  } catch (int n) {
    ASCRIBE_SCOPE("caught");
    value = n;
  }
  bad.handle.destroy();
  return value;
}

/* ---- coroutines that wait for each other, by the several kinds of awaitables ---- */

struct call {
  struct promise_type : ascribe::carried_promise {
    int value = 0;
    std::coroutine_handle<> caller;
    call get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    struct back {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> handle) noexcept {
        std::coroutine_handle<> caller = handle.promise().caller;
        return caller ? caller : std::noop_coroutine();
      }
      void await_resume() noexcept {}
    };
    auto final_suspend() noexcept { return carry(back()); }
    void return_value(int n) { value = n; }
    void unhandled_exception() { abort(); }
  };
  struct result {
    std::coroutine_handle<promise_type> callee;
    result(std::coroutine_handle<promise_type> handle) : callee(handle) {}
    result(const result &) = delete;
    bool await_ready() { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) {
      callee.promise().caller = caller;
      return callee;
    }
    int await_resume() {
      int value = callee.promise().value;
      callee.destroy();
      return value;
    }
  };
  std::coroutine_handle<promise_type> handle;
  result operator co_await() { return result(handle); }
};

struct not_now {};
struct refuses {
  bool await_ready() { return false; }
  bool await_suspend(std::coroutine_handle<>) { throw 2; }
  void await_resume() {}
};
static refuses operator co_await(not_now) {
  return {};
}
struct goes_on {
  bool await_ready() { return false; }
  bool await_suspend(std::coroutine_handle<>) { return false; }
  int await_resume() { return 1; }
};

static call callee(int n) {
  ASCRIBE_SCOPE("callee");
  co_await wait_here();
  co_return n;
}

static call caller() {
  int sum = 0;
  for (int i = 1; i <= 2; i++) {
    {
      ASCRIBE_SCOPE("call");
      sum += co_await callee(i + i);
      if (i == 1) {
        try {
          co_await not_now();
        } catch (int) {
          ASCRIBE_SCOPE("refused");
          count(0);
        }
      }
    }
    ASCRIBE_SCOPE("called");
    count(0);
  }
  sum += co_await goes_on();
  co_await std::suspend_never();
  co_return sum;
}

static int calls() {
  call outer = [] {
    ASCRIBE_SCOPE("outer");
    return caller();
  }();
  ASCRIBE_SCOPE("drives");
  outer.handle.resume();
  for (int i = 0; i < 2; i++) {
    ASCRIBE_SCOPE("driven");
    waiting.resume();
  }
  int value = outer.handle.promise().value;
  outer.handle.destroy();
  return value;
}

int main() {
  threads();
  int generated = generates(), began = begins_at_once(), destroyed = is_destroyed();
  int left = is_left();
  printf("%d %d %d %d %d %d\n", steps, generated, began, destroyed, left, calls());
  return tasks_done != 30;
}
