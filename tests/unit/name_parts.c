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
  check_name("<alloc::vec::Vec<T> as Drop>::drop", "<alloc::vec::Vec<T> as Drop>::drop", "drop",
             "<alloc::vec::Vec as Drop>::drop");
  check_name("net/http.(*conn).serve", "net/http.(*conn).serve", "net/http.(*conn).serve",
             "net/http.(*conn).serve");
  check_name("mem::align_of::<usize>", "mem::align_of::<usize>", "align_of", "mem::align_of");
  check_name("f(int)::local::g", "f(int)::local::g", "g", "f::local::g");
  check_name("read (system call)", "read (system call)", "read (system call)",
             "read (system call)");
  check_name("", "", "", "");
}

static void check_fit(const char *name, size_t width, const char *expected) {
  char text[200];
  CHECK_TEXT(name_fit(name, (struct name_part){0}, width, text, sizeof text), expected);
}

/* What says least goes first. */
static void fitting(void) {
  const char *name = "void leveldb::Table<int, A<int> >::Get<char>(unsigned int*) const";
  check_fit(name, 80, name);
  check_fit(name, 64, "leveldb::Table<int, A<int> >::Get<char>");
  check_fit(name, 39, "leveldb::Table<int, A<int> >::Get<char>");
  check_fit(name, 38, "leveldb::Table<...>::Get<...>");
  check_fit(name, 28, "leveldb::Table::Get");
  check_fit(name, 18, "Table::Get");
  check_fit(name, 9, "Get");
  check_fit(name, 2, "Get");
  check_fit("(anonymous namespace)::f(int)", 10, "f");
  check_fit("a::b::operator<<(char)", 12, "operator<<");
  check_fit("<alloc::vec::Vec<T> as Drop>::drop", 20, "drop");
  check_fit("0xd4490 in libstdc++.so.6", 12, "0xd4490 in libstdc++.so.6");
  check_fit("bool std::operator< <char, int>(A<char>)", 22, "std::operator< <...>");
  check_fit("std::operator< <char, std::char_traits<char> >", 37, "std::operator< <...>");
  check_fit("read (system call)", 12, "read (system call)");
  check_fit("gr\xc3\xbcn", 4, "gr\xc3\xbcn");
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
    for (size_t width = 0; width < 12; width++)
      CHECK(*name_fit(names[i], (struct name_part){0}, width, text, sizeof text));
  }
  char text[4];
  CHECK_TEXT(name_brief("abcdefgh", text, sizeof text), "abc");
}

int main(void) {
  names();
  fitting();
  nonsense();
  return check_result();
}
