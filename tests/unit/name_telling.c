/* What tells names apart, and what is left of them where there is little room. */
#include "symbols/name_telling.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { MOST = 8 };

/* Up to a null. Returns how many there are. */
static size_t tell(const char *const *names, struct name_part telling[MOST]) {
  size_t count = 0;
  while (names[count])
    count++;
  names_tell(names, count, telling);
  return count;
}

static void check_telling(const char *const *names, const char *const *expected) {
  struct name_part telling[MOST];
  size_t count = tell(names, telling);
  for (size_t i = 0; i < count; i++) {
    char text[200];
    snprintf(text, sizeof text, "%.*s", (int)telling[i].length, telling[i].text);
    CHECK_TEXT(text, expected[i]);
  }
}
#define TELLING(names, ...)                                                                        \
  check_telling((const char *const[]){UNPACK names, NULL}, (const char *const[]){__VA_ARGS__})
#define UNPACK(...) __VA_ARGS__

static void pieces(void) {
  TELLING(("main", "f(int)", "g<int>(char)"), "", "", "");
  TELLING(("S::area<3>()", "S::area<4>()", "S::edge<4>()"), "3", "4", "");
  TELLING(("f(int, char)", "f(int, double)"), "char", "double");
  TELLING(("A::begin()", "A::begin() const"), "", " const");
  TELLING(("step() [clone .part.0]", "step()"), " [clone .part.0]", "");
  TELLING(("void std::sort<int*, Less>(int*, int*)", "void std::sort<A*, Less>(A*, A*)"), "int*",
          "A*");
  /* One value of the first argument is not enough for the second name. */
  TELLING(("f<int, a>", "f<int, b>", "f<int, c>", "f<char, c>"), "a", "b", "int", "char");
  TELLING(("v<A<int>, less<A<int> > >::f", "v<A<char>, less<A<char> > >::f"), "int", "char");
  TELLING(("f<A<int> >", "f<A<char> >", "f<B>"), "int", "char", "B");
  TELLING(("f(int)", "f(int)"), "", "");
  TELLING(("operator<(A)", "operator<(B)", "operator<<(A)"), "A", "B", "");
}

static void check_short(const char *const *names, size_t width, const char *const *expected) {
  struct name_part telling[MOST];
  size_t count = tell(names, telling);
  for (size_t i = 0; i < count; i++) {
    char text[200];
    CHECK_TEXT(name_fit(names[i], telling[i], width, text, sizeof text), expected[i]);
  }
}
#define SHORT(width, names, ...)                                                                   \
  check_short((const char *const[]){UNPACK names, NULL}, width, (const char *const[]){__VA_ARGS__})

static void shortened(void) {
#define AREAS ("shop::Polygon<3>::area() const", "shop::Polygon<14>::area() const")
  SHORT(24, AREAS, "shop::Polygon<3>::area", "shop::Polygon<14>::area");
  SHORT(18, AREAS, "Polygon<3>::area", "Polygon<14>::area");
#define VECTORS                                                                                    \
  ("std::vector<int, std::allocator<int> >::~vector()",                                            \
   "std::vector<shop::Item, std::allocator<shop::Item> >::~vector()")
  SHORT(50, VECTORS, "std::vector<int, std::allocator<int> >::~vector()",
        "std::vector<shop::Item...>::~vector");
  SHORT(32, VECTORS, "std::vector<int...>::~vector", "vector<shop::Item...>::~vector");
  SHORT(26, VECTORS, "vector<int...>::~vector", "vector<Item...>::~vector");
  SHORT(23, VECTORS, "vector<int...>::~vector", "<Item...>::~vector");
  SHORT(22, VECTORS, "<int...>::~vector", "<Item...>::~vector");
  SHORT(16, VECTORS, "vector::~vector", "vector::~vector");
#define OVERLOADS                                                                                  \
  ("shop::parse(std::string const&)", "shop::parse(char const*)", "shop::parse() const")
  SHORT(25, OVERLOADS, "parse(std::string const&)", "shop::parse(char const*)",
        "shop::parse() const");
  SHORT(20, OVERLOADS, "parse(string const&)", "parse(char const*)", "shop::parse() const");
  SHORT(22, ("a::begin(unsigned long) const", "a::begin(unsigned long)"), "a::begin const",
        "a::begin");
}

/* Names of all kinds in all widths: what is short enough stays as it is, and no two names become
 * the same while there is room for a few characters of what tells. */
static void widths(void) {
  static const char *const names[] = {
      "std::map<int, char>::at(int const&)", "std::map<int, char*>::at(int const&)",
      "std::map<A<B>, char>::at(A<B> const&)", "std::map<A<C>, char>::at(A<C> const&)"};
  struct name_part telling[4];
  names_tell(names, 4, telling);
  for (size_t width = 14; width < 50; width++) {
    char text[4][200];
    const char *shown[4];
    for (size_t i = 0; i < 4; i++) {
      shown[i] = name_fit(names[i], telling[i], width, text[i], sizeof text[i]);
      CHECK(strlen(shown[i]) <= width);
      for (size_t k = 0; k < i; k++)
        CHECK(width < 20 || strcmp(shown[i], shown[k]) != 0);
    }
  }
}

static void nonsense(void) {
  static const char *const names[] = {
      "f<", "f<<<((", "f>>)", "(", "", "f()<>", "f(,,,,,,,,,,,,,,,,)", "f<,>"};
  struct name_part telling[MOST];
  names_tell(names, MOST, telling);
  for (size_t i = 0; i < MOST; i++)
    for (size_t width = 0; width < 12; width++) {
      char text[16];
      CHECK(strlen(name_fit(names[i], telling[i], width, text, sizeof text)) < 20);
    }
  names_tell(names, 0, telling);
}

int main(void) {
  pieces();
  shortened();
  widths();
  nonsense();
  return check_result();
}
