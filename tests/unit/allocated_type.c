/* The type in the names of C++'s allocators: as libstdc++ and libc++ spell them, and what only
 * looks so. */
#include "attribution/allocated_type.h"

#include "check.h"

static const char *type(const char *function) {
  static char text[200];
  size_t bytes = 0;
  const char *start = allocated_type(function, &bytes);
  if (!start) return "none";
  snprintf(text, sizeof text, "%.*s", (int)bytes, start);
  return text;
}

static void test_types(void) {
  static const char *const cases[][2] = {
      {"std::__new_allocator<point>::allocate(unsigned long, void const*)", "point"},
      {"__gnu_cxx::new_allocator<int>::allocate(unsigned long, void const*)", "int"},
      {"std::allocator<char>::allocate(unsigned long)", "char"},
      {"std::__1::allocator<long>::allocate[abi:v160006](unsigned long)", "long"},
      {"std::allocator_traits<std::allocator<point> >::allocate(std::allocator<point>&, unsigned "
       "long)",
       "point"},
      {"std::__new_allocator<std::_Rb_tree_node<std::pair<int const, a::b<3> > > "
       ">::allocate(unsigned "
       "long, void const*)",
       "std::_Rb_tree_node<std::pair<int const, a::b<3> > >"},
      {"std::__new_allocator<f(int)::{lambda(char)#1}>::allocate(unsigned long, void const*)",
       "f(int)::{lambda(char)#1}"},
      {"std::__new_allocator<decltype (a->b)>::allocate(unsigned long)", "decltype (a->b)"},
      {"std::__new_allocator<s<(char)'>'> >::allocate(unsigned long)", "s<(char)'>'>"},
      {"std::__new_allocator<point>::deallocate(point*, unsigned long)", "none"},
      {"std::__new_allocator<point", "none"},
      {"std::__new_allocator<>::allocate(unsigned long)", "none"},
      {"std::allocator_traits<std::allocator<point>::allocate(unsigned long)", "none"},
      {"my::allocator<point>::allocate(unsigned long)", "none"},
      {"malloc", "none"},
      {"", "none"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    CHECK_TEXT(type(cases[i][0]), cases[i][1]);
}

static void test_strings(void) {
  CHECK(allocates_string("std::__cxx11::basic_string<char, std::char_traits<char>, "
                         "std::allocator<char> >::_M_create(unsigned long&, unsigned long)"));
  CHECK(!allocates_string("std::__cxx11::basic_string<char16_t>::_M_create"));
  CHECK(!allocates_string("string"));
}

int main(void) {
  test_types();
  test_strings();
  return check_result();
}
