/* The parts of demangled names. */
#include "symbols/name_parts.h"

#include "check.h"

static void check_name(const char *name, const char *qualified, const char *last,
                       const char *brief) {
  char text[200];
  struct name_part part = name_qualified(name);
  snprintf(text, sizeof text, "%.*s", (int)part.length, part.text);
  CHECK_TEXT(text, qualified);
  part = name_last(name);
  snprintf(text, sizeof text, "%.*s", (int)part.length, part.text);
  CHECK_TEXT(text, last);
  CHECK_TEXT(name_brief(name, text, sizeof text), brief);
}

static void names(void) {
  check_name("main", "main", "main", "main");
  check_name("f(int)", "f", "f", "f");
  check_name("garden::grow(int, char) const", "garden::grow", "grow", "garden::grow");
  check_name("void std::sort<int*, A<int> >(int*, int*)", "std::sort<int*, A<int> >", "sort",
             "std::sort");
  check_name("std::vector<A, B<A> >::push_back(A&&)", "std::vector<A, B<A> >::push_back",
             "push_back", "std::vector::push_back");
  check_name("(anonymous namespace)::hidden(int)", "(anonymous namespace)::hidden", "hidden",
             "(anonymous namespace)::hidden");
  check_name("garden::(anonymous namespace)::f()", "garden::(anonymous namespace)::f", "f",
             "garden::(anonymous namespace)::f");
  check_name("main::{lambda(int)#1}::operator()(int) const", "main::{lambda(int)#1}::operator()",
             "operator()", "main::{lambda#1}::operator()");
  check_name("main::{lambda}::operator()<A, B>", "main::{lambda}::operator()<A, B>", "operator()",
             "main::{lambda}::operator()");
  check_name("bool operator<(A const&, B<int> const&)", "operator<", "operator<", "operator<");
  check_name("std::ostream& std::operator<< <int>(std::ostream&, int)", "std::operator<< <int>",
             "operator<<", "std::operator<<");
  check_name("A::operator->() const", "A::operator->", "operator->", "A::operator->");
  check_name("operator new(unsigned long)", "operator new", "operator new", "operator new");
  check_name("A::operator bool() const", "A::operator bool", "operator bool", "A::operator bool");
  check_name("core::ptr::drop_in_place<alloc::string::String>",
             "core::ptr::drop_in_place<alloc::string::String>", "drop_in_place",
             "core::ptr::drop_in_place");
  check_name("A<B<int>, C>::D<E>::f<G>()", "A<B<int>, C>::D<E>::f<G>", "f", "A::D::f");
  check_name("", "", "", "");
}

/* Whatever the name is, no piece leaves it. */
static void nonsense(void) {
  static const char *const names[] = {
      "(",         ")",   "<",  ">", "<<<(((", ">>>)))",     "operator",
      "operator<", "a(b", "::", " ", "{(<",    "operator()("};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char text[8];
    struct name_part whole = name_qualified(names[i]), last = name_last(names[i]);
    CHECK(whole.text + whole.length <= names[i] + strlen(names[i]));
    CHECK(last.text + last.length <= names[i] + strlen(names[i]));
    CHECK(strlen(name_brief(names[i], text, sizeof text)) < sizeof text);
  }
  char text[4];
  CHECK_TEXT(name_brief("abcdefgh", text, sizeof text), "abc");
}

int main(void) {
  names();
  nonsense();
  return check_result();
}
