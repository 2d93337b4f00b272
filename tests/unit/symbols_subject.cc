// What the symbols test looks at: functions of many kinds, in C++ with debug information.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace garden {

template <typename T> struct Bed {
  std::vector<T> plants;
  __attribute__((noinline)) T sum() const {
    T total{};
    for (const T &plant : plants)
      total += plant;
    return total;
  }
};

__attribute__((noinline)) int water(const Bed<int> &bed, int litres) {
  if (litres < 0) {
    std::fprintf(stderr, "cannot water with %d\n", litres);
    std::abort();
  }
  return bed.sum() * litres;
}

} // namespace garden

// Assembly: one function with a size, one without, and a label inside the first.
__asm__(".text\n"
        ".type sized_assembly, @function\n"
        ".globl sized_assembly\n"
        "sized_assembly: nop\n"
        "inner_label: nop\n"
        "ret\n"
        ".size sized_assembly, . - sized_assembly\n"
        "unsized_assembly: nop\n"
        "nop\n"
        "ret\n"
        ".globl after_unsized\n"
        ".type after_unsized, @function\n"
        "after_unsized: ret\n"
        ".size after_unsized, . - after_unsized\n");

extern "C" {
void sized_assembly(void);

__attribute__((noinline)) int original(int x) noexcept {
  return x * 3 + 1;
}
int __underscored(int x) noexcept __attribute__((alias("original")));
int weak_name(int x) noexcept __attribute__((weak, alias("original")));

static __attribute__((noinline)) int local_function(int x) {
  for (int i = 0; i < x; i++)
    x ^= original(i);
  return x;
}

// clang-format off
int
definition_on_two_lines(int x)
{
  return local_function(x) + std::atoi("3");
}
// clang-format on

int shorter(int x) noexcept __attribute__((alias("original")));
}

int main(int count, char **) {
  garden::Bed<int> bed{{1, 2, count}};
  sized_assembly();
  std::string text = std::to_string(garden::water(bed, count));
  std::printf("%s %d\n", text.c_str(), definition_on_two_lines(count));
  return 0;
}
