/* A program with 2^20 - 1 contexts: at every one of 19 levels below the top there are two
 * functions, and each calls both of the next level. */
#define LEAF(level)                                                                                \
  __attribute__((noinline)) static void a##level(void) {                                           \
    __asm__ volatile("");                                                                          \
  }                                                                                                \
  __attribute__((noinline)) static void b##level(void) {                                           \
    __asm__ volatile(" ");                                                                         \
  }
#define LEVEL(level, next)                                                                         \
  __attribute__((noinline)) static void a##level(void) {                                           \
    a##next();                                                                                     \
    b##next();                                                                                     \
    __asm__ volatile("");                                                                          \
  }                                                                                                \
  __attribute__((noinline)) static void b##level(void) {                                           \
    b##next();                                                                                     \
    a##next();                                                                                     \
    __asm__ volatile("");                                                                          \
  }

LEAF(19)
LEVEL(18, 19)
LEVEL(17, 18)
LEVEL(16, 17)
LEVEL(15, 16)
LEVEL(14, 15)
LEVEL(13, 14)
LEVEL(12, 13)
LEVEL(11, 12)
LEVEL(10, 11)
LEVEL(9, 10)
LEVEL(8, 9)
LEVEL(7, 8)
LEVEL(6, 7)
LEVEL(5, 6)
LEVEL(4, 5)
LEVEL(3, 4)
LEVEL(2, 3)
LEVEL(1, 2)

int main(void) {
  for (int i = 0; i < 5; ++i) {
    a1();
    b1();
    __asm__ volatile("");
  }
  return 0;
}
