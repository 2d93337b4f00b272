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

int main(int count, char **) {
  std::printf("%d %d %d\n", nested(count), with_a_bed(count), pointer(count));
  return with_a_lambda(count) & 1;
}
