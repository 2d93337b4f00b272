/* Cost centres: named parts of a program, for Ascribe to charge costs to.
 *
 *     ASCRIBE_SCOPE("parse");              a declaration: from here to the end of the block
 *     x = ASCRIBE_SCC("parse", f(y));      one expression
 *
 * A label is a string literal. Costs are charged to the innermost scope, and each entry is counted.
 * The expression may be void and may have commas.  Scopes with the same label
 * in one module are one centre; the module is the source file unless ASCRIBE_MODULE is defined to
 * another string first.  A scope ends however its block is left: by its end, break, goto, return or
 * an exception (in C: with -fexceptions).  After a longjmp the enclosing scope's end restores what
 * that one had found.
 *
 * Deferred work is charged to who made it:
 *
 *     struct ascribe_captured maker = ascribe_capture();     where it is made
 *     ASCRIBE_RESUME(maker);                                 where it runs, to the end of the block
 *     queue.push(ascribe::carry(callable));                  both, in C++
 *     struct promise_type : ascribe::carried_promise         coroutines of C++20
 *
 * `ascribe record --heap` lists memory by names that you give to blocks, at any time before they
 * are freed:
 *
 *     ascribe_kind(block, "node");         a name of up to 55 bytes; the last one counts
 *
 * The block is named by its address, as malloc returned it; null and "" are no names.  What realloc
 * returns is a new block, to be named again.  Memory is also listed by pools, which give out memory
 * that they got elsewhere.  Each name, of up to 55 bytes, is a pool of its own, apart from the
 * heap:
 *
 *     ascribe_pool_allocated("nodes", block, bytes);
 *     ascribe_pool_freed("nodes", block);       what the pool did not give out is ignored
 *     ascribe_pool_emptied("nodes");            all that it has given out
 *
 * No library is needed.  In a program that is not recorded a scope is a load and a branch.  With
 * ASCRIBE_OFF defined, and on other systems than Linux on x86-64, there is nothing at all.
 *
 * C99 and C++11; gcc and clang.  docs/COST_CENTRES.md. */
#ifndef ASCRIBE_ASCRIBE_H
#define ASCRIBE_ASCRIBE_H

#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
#include <type_traits>
#endif

#if !defined(ASCRIBE_OFF) &&                                                                       \
    !(defined(__x86_64__) && defined(__LP64__) && defined(__linux__) && defined(__GNUC__))
#define ASCRIBE_OFF
#endif

#define ASCRIBE_PASTE2(a, b) a##b
#define ASCRIBE_PASTE(a, b) ASCRIBE_PASTE2(a, b)

/* A place in the stack of centres: a number of the recording, and what shows that it is one. */
struct ascribe_captured {
  uint32_t centre, check;
};

#ifndef ASCRIBE_OFF

/* ---- the contract with the runtime ---- */

/* One for each ASCRIBE_SCOPE in the source. When the scope is first entered, the runtime fills in
 * `key`, the number of its cost centre, and `hash`, the key's part of the hash of a transition.
 * `ascribe cc --centres` makes one for each function that it names, with `built_in`: those that the
 * run leaves out, the runtime marks when they are first entered, and they do nothing from then on.
 */
struct ascribe_centre {
  uint64_t key, hash;
  const char *label, *module, *file;
  uint32_t line, built_in;
};
#define ASCRIBE_CENTRE_BUILT_IN 1u
#define ASCRIBE_CENTRE_LEFT_OUT 2u
#define ASCRIBE_CENTRE_NEW 2u /* a key that no transition has, not even in an empty table */

/* One for each executable and library: zeros but for the version until the runtime fills it.
 * Places are in bytes from the thread pointer. */
struct ascribe_scopes {
  int64_t centre; /* of the thread's centre: uint32_t. 0: nothing is recorded */
  int64_t gate;   /* of the pointer to the thread's struct ascribe_gate (ascribe/hook.h) */
  uint32_t (*enter)(struct ascribe_centre *centre);        /* what the table of transitions lacks */
  uint32_t version;                                        /* ASCRIBE_SCOPES_VERSION */
  uint32_t check;                                          /* of captured centres */
  void (*name_block)(const void *block, const char *name); /* null: no heap is recorded */
  void (*pool_allocated)(const char *pool, const void *block, uint64_t bytes);
  void (*pool_freed)(const char *pool, const void *block); /* null: all of its blocks */
};

#define ASCRIBE_SCOPES_VERSION 3u /* 1 ended before name_block, 2 before pool_allocated */

/* As struct ascribe_slot of ascribe/hook.h. */
struct ascribe_scope_slot {
  uint32_t from, to;
  uint64_t key, site, count;
};

#define ASCRIBE_CHECK(centre, check) ((uint32_t)(centre)*0x9E3779B1u ^ (check))

#ifndef ASCRIBE_RUNTIME

#define ASCRIBE_INLINE                                                                             \
  static __inline__ __attribute__((always_inline, unused, no_instrument_function))

#ifdef __cplusplus
extern "C" {
#endif

extern struct ascribe_scopes ascribe_scopes;
__attribute__((weak, visibility("hidden"))) struct ascribe_scopes ascribe_scopes = {
    0, 0, 0, ASCRIBE_SCOPES_VERSION, 0, 0, 0, 0};

/* The runtime is there or not: a weak reference, by the GOT, since linkers resolve any other in an
 * executable that is not position-independent. */
void ascribe_scopes_begin(void);
__attribute__((weak, visibility("hidden"), constructor(101), no_instrument_function)) void
ascribe_scopes_begin(void) {
  void (*loaded)(struct ascribe_scopes *);
  __asm__(".weak ascribe_scopes_loaded\n\t"
          "{movq ascribe_scopes_loaded@GOTPCREL(%%rip), %0|"
          "mov %0, QWORD PTR ascribe_scopes_loaded@GOTPCREL[rip]}"
          : "=r"(loaded));
  if (loaded) loaded(&ascribe_scopes);
}

/* ---- scopes ---- */

/* What a scope found, and restores.  It is a structure because compilers warn of plain variables in
 * functions that call setjmp (-Wclobbered), although nothing changes this one. */
struct ascribe_found {
  uint32_t centre;
};

/* `place`: ascribe_scopes.centre. */
ASCRIBE_INLINE struct ascribe_found ascribe_centre_read(int64_t place) {
  struct ascribe_found found;
  __asm__ volatile("{movl %%fs:(%1), %0|mov %0, DWORD PTR fs:[%1]}"
                   : "=r"(found.centre)
                   : "r"(place));
  return found;
}

ASCRIBE_INLINE void ascribe_centre_write(int64_t place, uint32_t centre) {
  __asm__ volatile("{movl %0, %%fs:(%1)|mov DWORD PTR fs:[%1], %0}"
                   :
                   : "r"(centre), "r"(place)
                   : "memory");
}

ASCRIBE_INLINE char *ascribe_centre_gate(void) {
  char *gate;
  __asm__ volatile("{movq %%fs:(%1), %0|mov %0, QWORD PTR fs:[%1]}"
                   : "=r"(gate)
                   : "r"(ascribe_scopes.gate));
  return gate;
}

/* Returns what ascribe_scope_leave restores.  The mask is read before the table, for a handler may
 * replace both in between: see ascribe/hook.h. */
ASCRIBE_INLINE struct ascribe_found ascribe_scope_enter(struct ascribe_centre *centre) {
  struct ascribe_found found = {0};
  uint32_t own;
  char *gate;
  uint64_t mask, table, key;
  struct ascribe_scope_slot *slot;
  int64_t place = ascribe_scopes.centre;
  if (__builtin_expect(!place, 1)) return found;
  found = ascribe_centre_read(place);
  gate = ascribe_centre_gate();
  mask = ((const volatile uint64_t *)gate)[0];
  table = ((const volatile uint64_t *)gate)[1];
  key = *(const volatile uint64_t *)&centre->key;
  /* An integer: the distance to the table wraps around. */
  slot = (struct ascribe_scope_slot *)((uintptr_t)gate + table +
                                       ((centre->hash + (uint64_t)found.centre * 8) & mask));
  if (__builtin_expect(slot->from == found.centre && slot->key == key, 1)) {
    /* One instruction: a signal may interrupt. */
    __asm__ volatile("{incq %0|inc QWORD PTR %0}" : "+m"(slot->count) : : "memory");
    own = slot->to;
  } else {
    own = ascribe_scopes.enter(centre);
  }
  ascribe_centre_write(place, own);
  return found;
}
ASCRIBE_INLINE void ascribe_scope_leave(struct ascribe_found found) {
  int64_t place = ascribe_scopes.centre;
  if (__builtin_expect(!place, 1)) return;
  ascribe_centre_write(place, found.centre);
}

ASCRIBE_INLINE void ascribe_scope_cleanup(const struct ascribe_found *found) {
  ascribe_scope_leave(*found);
}

/* ---- deferred work ---- */

ASCRIBE_INLINE struct ascribe_captured ascribe_capture(void) {
  struct ascribe_captured captured = {0, 0};
  int64_t place = ascribe_scopes.centre;
  if (__builtin_expect(!place, 1)) return captured;
  captured.centre = ascribe_centre_read(place).centre;
  captured.check = ASCRIBE_CHECK(captured.centre, ascribe_scopes.check);
  return captured;
}

/* Ignores what another process captured, such as this one before an exec. */
ASCRIBE_INLINE struct ascribe_found ascribe_resume(struct ascribe_captured captured) {
  struct ascribe_found found = {0};
  int64_t place = ascribe_scopes.centre;
  if (__builtin_expect(!place, 1)) return found;
  found = ascribe_centre_read(place);
  if (captured.check == ASCRIBE_CHECK(captured.centre, ascribe_scopes.check))
    ascribe_centre_write(place, captured.centre);
  return found;
}

/* ---- memory ---- */

ASCRIBE_INLINE void ascribe_kind(const void *block, const char *name) {
  if (__builtin_expect(ascribe_scopes.name_block != 0, 0)) ascribe_scopes.name_block(block, name);
}

/* A block that is given out again without having been freed is a new one. */
ASCRIBE_INLINE void ascribe_pool_allocated(const char *pool, const void *block, size_t bytes) {
  if (__builtin_expect(ascribe_scopes.pool_allocated != 0, 0) && block)
    ascribe_scopes.pool_allocated(pool, block, bytes);
}

ASCRIBE_INLINE void ascribe_pool_freed(const char *pool, const void *block) {
  if (__builtin_expect(ascribe_scopes.pool_freed != 0, 0) && block)
    ascribe_scopes.pool_freed(pool, block);
}

ASCRIBE_INLINE void ascribe_pool_emptied(const char *pool) {
  if (__builtin_expect(ascribe_scopes.pool_freed != 0, 0)) ascribe_scopes.pool_freed(pool, 0);
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#ifndef ASCRIBE_MODULE
#define ASCRIBE_MODULE __FILE__
#endif

#define ASCRIBE_CENTRE(label)                                                                      \
  (__extension__({                                                                                 \
    static struct ascribe_centre ascribe_centre_here = {                                           \
        ASCRIBE_CENTRE_NEW, 0, "" label, ASCRIBE_MODULE, __FILE__, __LINE__, 0};                   \
    &ascribe_centre_here;                                                                          \
  }))

#ifdef __cplusplus
namespace ascribe {
class scope {
  struct ascribe_found found;

public:
  __attribute__((always_inline,
                 no_instrument_function)) explicit scope(struct ascribe_centre *centre)
      : found(ascribe_scope_enter(centre)) {}
  __attribute__((always_inline,
                 no_instrument_function)) explicit scope(struct ascribe_captured captured)
      : found(ascribe_resume(captured)) {}
  __attribute__((always_inline, no_instrument_function)) ~scope() { ascribe_scope_leave(found); }
  scope(const scope &) = delete;
  scope &operator=(const scope &) = delete;
};

/* Keeps the value of an expression in its scope. `(expression, nothing())` calls the comma
 * operator, which holds the value; if the expression is void, it is `nothing` itself. */
struct nothing {
  void pin() const {}
  void take() const {}
};
template <class T> struct held {
  T value;
  void pin() const { __asm__ volatile("" : : "m"(value)); }
  T take() { return static_cast<T &&>(value); }
};
template <class T> held<typename std::decay<const T &>::type> operator,(const T &value, nothing) {
  return {value};
}
template <class T, class = typename std::enable_if<!std::is_lvalue_reference<T>::value>::type>
held<typename std::decay<T>::type> operator,(T &&value, nothing) {
  return {static_cast<T &&>(value)};
}
} // namespace ascribe
#define ASCRIBE_SCOPE_OF(name, centre) const ::ascribe::scope name(centre)
#define ASCRIBE_RESUME_OF(name, captured) const ::ascribe::scope name(captured)
#else
#define ASCRIBE_SCOPE_OF(name, centre)                                                             \
  __attribute__((cleanup(ascribe_scope_cleanup), unused)) const struct ascribe_found name =        \
      ascribe_scope_enter(centre)
#define ASCRIBE_RESUME_OF(name, captured)                                                          \
  __attribute__((cleanup(ascribe_scope_cleanup), unused)) const struct ascribe_found name =        \
      ascribe_resume(captured)
#endif

#define ASCRIBE_SCOPE(label)                                                                       \
  ASCRIBE_SCOPE_OF(ASCRIBE_PASTE(ascribe_scope_, __COUNTER__), ASCRIBE_CENTRE(label))
#define ASCRIBE_RESUME(captured)                                                                   \
  ASCRIBE_RESUME_OF(ASCRIBE_PASTE(ascribe_scope_, __COUNTER__), captured)

/* The value is pinned: an optimiser would move the call of a `const` function out of the scope. A
 * void expression has 0 in its place. */
#define ASCRIBE_SCC(label, ...)                                                                    \
  ASCRIBE_SCC_OF(ASCRIBE_PASTE(ascribe_value_, __COUNTER__),                                       \
                 ASCRIBE_PASTE(ascribe_type_, __COUNTER__), label, (__VA_ARGS__))
#ifdef __cplusplus
#define ASCRIBE_SCC_OF(value, type, label, expression)                                             \
  (__extension__({                                                                                 \
    ASCRIBE_SCOPE(label);                                                                          \
    auto value = (expression, ::ascribe::nothing());                                               \
    value.pin();                                                                                   \
    value.take();                                                                                  \
  }))
#else
#define ASCRIBE_SCC_OF(value, type, label, expression)                                             \
  (__extension__({                                                                                 \
    ASCRIBE_SCOPE(label);                                                                          \
    __attribute__((unused)) __typeof__(expression) *type = 0;                                      \
    __typeof__(ASCRIBE_UNLESS_VOID(*type, 0, *type)) value =                                       \
        ASCRIBE_UNLESS_VOID(*type, ((void)expression, 0), expression);                             \
    __asm__ volatile("" : : "m"(value));                                                           \
    ASCRIBE_UNLESS_VOID(*type, (void)0, value);                                                    \
  }))
#define ASCRIBE_UNLESS_VOID(expression, if_void, otherwise)                                        \
  __builtin_choose_expr(__builtin_types_compatible_p(__typeof__(expression), void), if_void,       \
                        otherwise)
#endif

#endif /* ASCRIBE_RUNTIME */

#else /* ASCRIBE_OFF */

#define ASCRIBE_SCOPE(label) enum { ASCRIBE_PASTE(ascribe_nothing_, __COUNTER__) }
#define ASCRIBE_RESUME(captured) (void)(captured)
#define ASCRIBE_SCC(label, ...) (__VA_ARGS__)
static __inline__ struct ascribe_captured ascribe_capture(void) {
  struct ascribe_captured captured = {0, 0};
  return captured;
}
static __inline__ void ascribe_kind(const void *block, const char *name) {
  (void)block;
  (void)name;
}
static __inline__ void ascribe_pool_allocated(const char *pool, const void *block, size_t bytes) {
  (void)pool;
  (void)block;
  (void)bytes;
}
static __inline__ void ascribe_pool_freed(const char *pool, const void *block) {
  (void)pool;
  (void)block;
}
static __inline__ void ascribe_pool_emptied(const char *pool) {
  (void)pool;
}

#endif

#if defined(__cplusplus) && !defined(ASCRIBE_RUNTIME)
namespace ascribe {
/* A callable that runs in its maker's centre. It may be one that can only be moved. */
template <class F> class carried {
  F function;
  struct ascribe_captured maker;

public:
  template <class G>
  carried(G &&callable, struct ascribe_captured captured)
      : function(static_cast<G &&>(callable)), maker(captured) {}
  template <class... A>
  auto operator()(A &&...arguments) -> decltype(function(static_cast<A &&>(arguments)...)) {
    ASCRIBE_RESUME(maker);
    return function(static_cast<A &&>(arguments)...);
  }
  template <class... A>
  auto operator()(A &&...arguments) const -> decltype(function(static_cast<A &&>(arguments)...)) {
    ASCRIBE_RESUME(maker);
    return function(static_cast<A &&>(arguments)...);
  }
};
template <class F> carried<typename std::decay<F>::type> carry(F &&callable) {
  return carried<typename std::decay<F>::type>(static_cast<F &&>(callable), ascribe_capture());
}
} // namespace ascribe

#ifdef __cpp_impl_coroutine
#include <coroutine>
namespace ascribe {
class carried_promise;

/* Passes on what the promise is to await, and changes centres where the coroutine is suspended and
 * resumed. The destructor finds the coroutine suspended if it is destroyed there, or if the inner
 * await_suspend threw: what follows runs in the coroutine. */
template <class Promise, class Awaiter> struct carried_awaiter {
  Promise &promise;
  Awaiter inner;
  ~carried_awaiter() { promise.enter(); }
  auto await_ready() noexcept(noexcept(inner.await_ready())) { return inner.await_ready(); }
  /* The promise is left first: inside, another thread may resume the coroutine already. */
  template <class Handle>
  auto await_suspend(Handle handle) noexcept(noexcept(inner.await_suspend(handle))) {
    promise.leave();
    return inner.await_suspend(handle);
  }
  decltype(auto) await_resume() noexcept(noexcept(inner.await_resume())) {
    promise.enter();
    return inner.await_resume();
  }
};

/* The base of a promise whose coroutine runs in its maker's centre and in the scopes that it opens,
 * on any thread; whoever resumes it gets its own centre back at each suspension.
 *
 * co_await is seen to. What initial_suspend, final_suspend and yield_value return goes through
 * carry(). An unhandled_exception that throws calls leave() first. */
class carried_promise {
#ifndef ASCRIBE_OFF
  template <class Promise, class Awaiter> friend struct carried_awaiter;
  struct ascribe_captured inside = ascribe_capture();
  struct ascribe_found outside = {inside.centre};
  bool runs = true;

  void enter() noexcept {
    if (runs) return;
    runs = true;
    outside = ascribe_resume(inside);
  }
  template <class Awaitable> static decltype(auto) awaiter_of(Awaitable &&awaitable) {
    if constexpr (requires { static_cast<Awaitable &&>(awaitable).operator co_await(); })
      return static_cast<Awaitable &&>(awaitable).operator co_await();
    else if constexpr (requires { operator co_await(static_cast<Awaitable &&>(awaitable)); })
      return operator co_await(static_cast<Awaitable &&>(awaitable));
    else
      return static_cast<Awaitable &&>(awaitable);
  }
  template <class Awaitable>
  using awaiter = decltype(awaiter_of(static_cast<Awaitable (*)()>(nullptr)()));

public:
  carried_promise() = default;
  carried_promise(const carried_promise &) = delete;
  carried_promise &operator=(const carried_promise &) = delete;
  ~carried_promise() {
    leave();
  }
  void leave() noexcept {
    if (!runs) return;
    runs = false;
    inside = ascribe_capture();
    ascribe_scope_leave(outside);
  }
  template <class Awaiter> carried_awaiter<carried_promise, Awaiter> carry(Awaiter inner) noexcept {
    return {*this, static_cast<Awaiter &&>(inner)};
  }
  template <class Awaitable>
  carried_awaiter<carried_promise, awaiter<Awaitable &&>> await_transform(Awaitable &&awaitable) {
    return {*this, awaiter_of(static_cast<Awaitable &&>(awaitable))};
  }
#else
public:
  void leave() noexcept {}
  template <class Awaiter> Awaiter carry(Awaiter inner) noexcept {
    return inner;
  }
#endif
  auto initial_suspend() noexcept {
    return carry(std::suspend_always());
  }
  auto final_suspend() noexcept {
    return carry(std::suspend_always());
  }
};
} // namespace ascribe
#endif
#endif

#endif
