/* Names of the debug information and of the demangler, and the one spelling of both. */
#include "symbols/name_spelling.h"

#include <stdio.h>

#include "check.h"

static const struct {
  const char *name, *spelled;
} names[] = {
    {"main", "main"},
    {"operator<", "operator<"},
    {"std::operator< <int>", "std::operator< <int>"},
    {"f(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >)",
     "f(std::string)"},
    /* defaults */
    {"std::vector<Order, std::allocator<Order> >::size() const",
     "std::vector<Order>::size() const"},
    {"std::vector<A<int>, std::allocator<A<int> > >", "std::vector<A<int> >"},
    {"g<std::vector<Order, std::allocator<Order> > >", "g<std::vector<Order> >"},
    {"std::map<int, A, std::less<int>, std::allocator<std::pair<int const, A> > >::at",
     "std::map<int, A>::at"},
    {"std::set<int, std::greater<int>, std::allocator<int> >", "std::set<int, std::greater<int> >"},
    {"std::unordered_map<int, A, std::hash<int>, std::equal_to<int>, "
     "std::allocator<std::pair<int const, A> > >",
     "std::unordered_map<int, A>"},
    {"void std::sort<int*, std::less<int> >(int*, int*)",
     "void std::sort<int*, std::less<int> >(int*, int*)"},
    {"std::unique_ptr<A, std::default_delete<A> >::get", "std::unique_ptr<A>::get"},
    {"pool<std::allocator<int> >", "pool<std::allocator<int> >"},
    {"broken<int, std::allocator<", "broken<int, std::allocator<"},
    /* lambdas */
    {"worker(int)::{lambda(Order const&)#1}::operator()(Order const&) const",
     "worker(int)::{lambda}::operator()(Order const&) const"},
    {"std::sort<int*, worker(int)::<lambda(const Order&, const Order&)> >",
     "std::sort<int*, worker(int)::{lambda}>"},
    {"std::sort<int*, worker(int)::{lambda(Order const&, Order const&)#2}>",
     "std::sort<int*, worker(int)::{lambda}>"},
    {"std::__invoke<main(int, char**)::<lambda()> >", "std::__invoke<main::{lambda}>"},
    {"main::{lambda()#1}::operator()() const", "main::{lambda}::operator()() const"},
    {"domain(int)::<lambda()>", "domain(int)::{lambda}"},
    {"f::{lambda(g(int)::{lambda()#1})#2}", "f::{lambda}"},
    /* const */
    {"find<const char*, const Order>", "find<char const*, Order const>"},
    {"find<const A<const B&>&>(int)", "find<A<B const&> const&>(int)"},
    {"is_const <int>", "is_const <int>"},
};

int main(void) {
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char text[512];
    snprintf(text, sizeof text, "%s", names[i].name);
    name_spell(text);
    CHECK_TEXT(text, names[i].spelled);
    name_spell(text);
    CHECK_TEXT(text, names[i].spelled);
  }
  return check_result();
}
