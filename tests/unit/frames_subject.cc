// What the frames test looks at: calls that the compiler inlines, at places that the test knows.
#include <cstdio>
#include <cstdlib>

// GCC describes a function apart from its code where it made a clone of it.
#ifdef __clang__
#define NO_CLONES
#else
#define NO_CLONES __attribute__((noipa))
#endif
#define INLINED __attribute__((always_inline)) inline
#define KEPT __attribute__((noinline, used)) NO_CLONES

namespace garden {

static volatile int seeds;

INLINED int sow(int x) {
  return seeds += x; // line 19
}

// Inlined in one place and called in another.
inline int dig(int x) {
  return sow(x) + 1; // line 24
}

struct Bed {
  int plants;
  INLINED Bed(int count) : plants(sow(count)) {} // line 29
  INLINED int pick() const {
    return sow(plants); // line 31
  }
};

} // namespace garden

namespace {

INLINED int hidden(int x) {
  return garden::dig(x); // line 40
}

} // namespace

extern "C" {
KEPT int nested(int x) {
  return hidden(x); // line 47
}

KEPT int with_a_bed(int x) {
  garden::Bed bed(x);     // line 51
  return bed.pick() + 17; // line 52
}

int (*volatile pointer)(int) = garden::dig;

// Compilers describe the code of a local type inside of the function that the type is local to.
KEPT int with_a_lambda(int x) {
  auto pick = [&x](int y) KEPT { return garden::dig(y + x); }; // line 59
  return pick(x) + pick(x + 1);
}
}

// Functions that only this unit can see, with parameters of many types.
namespace garden {
enum class Kind { rose };
typedef struct {
  int petals;
} Nameless;
} // namespace garden

namespace {

KEPT int nothing() {
  return garden::seeds;
}
KEPT int pointers(const char *const *a, volatile int *b, void *const c) {
  return **a + *b + (c != nullptr);
}
KEPT int numbers(unsigned long a, short b, unsigned short c, long long d, unsigned long long e,
                 signed char f, bool g, double h, __int128 i, unsigned __int128 j) {
  return a + b + c + d + e + f + g + h + i + j;
}
KEPT int references(const garden::Bed &a, garden::Bed &&b, int (&c)[3]) {
  return a.plants + b.plants + c[0];
}
KEPT int functions(int (*a)(char, long), int (garden::Bed::*b)() const, int garden::Bed::*c) {
  return a != nullptr || b != nullptr || c != nullptr;
}
KEPT int types(garden::Kind a, garden::Nameless b, decltype(nullptr)) {
  return static_cast<int>(a) + b.petals;
}
KEPT int variadic(const char *a, ...) {
  return *a;
}
struct Hidden {
  KEPT int method(int x) const { return x + n; }
  KEPT int other(long x) { return n = x; }
  int n;
};

int all_of_them(int count) {
  int three[3] = {count, 2, 3};
  const char *text = "text";
  garden::Bed bed(count);
  Hidden hidden = {count};
  return nothing() + pointers(&text, three, three) + numbers(1, 2, 3, 4, 5, 6, true, 8, 9, 10) +
         references(bed, garden::Bed(count), three) + functions(nullptr, nullptr, nullptr) +
         types(garden::Kind::rose, garden::Nameless(), nullptr) + variadic(text, 1) +
         hidden.method(1) + hidden.other(2);
}

} // namespace

int main(int count, char **) {
  garden::seeds = all_of_them(count);
  std::printf("%d %d %d\n", nested(count), with_a_bed(count), pointer(count));
  return with_a_lambda(count) & 1;
}
