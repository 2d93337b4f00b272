// What the frames test looks at: calls that the compiler inlines, at places that the test knows.
#include <cstdio>
#include <cstdlib>

#define INLINED __attribute__((always_inline)) inline
#define KEPT __attribute__((noinline))

namespace garden {

static volatile int seeds;

INLINED int sow(int x) {
  return seeds += x; // line 13
}

// Inlined in one place and called in another.
inline int dig(int x) {
  return sow(x) + 1; // line 18
}

struct Bed {
  int plants;
  INLINED Bed(int count) : plants(sow(count)) {} // line 23
  INLINED int pick() const {
    return sow(plants); // line 25
  }
};

} // namespace garden

namespace {

INLINED int hidden(int x) {
  return garden::dig(x); // line 34
}

} // namespace

extern "C" {
KEPT int nested(int x) {
  return hidden(x); // line 41
}

KEPT int with_a_bed(int x) {
  garden::Bed bed(x);     // line 45
  return bed.pick() + 17; // line 46
}

int (*volatile pointer)(int) = garden::dig;
}

int main(int count, char **) {
  std::printf("%d %d %d\n", nested(count), with_a_bed(count), pointer(count));
  return 0;
}
