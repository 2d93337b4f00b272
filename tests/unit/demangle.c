/* Names as people know them. The Rust v0 names are those of RFC 2603 and of the Rust reference's
 * chapter on symbol mangling, or follow its grammar. */
#include "symbols/demangle.h"

#include <stdlib.h>

#include "check.h"

static const struct {
  const char *linkage, *name;
} names[] = {
    {"main", "main"},
    {"", ""},
    /* C++ */
    {"_Z3fooi", "foo(int)"},
    {"_ZN9wikipedia7article8print_toERSo", "wikipedia::article::print_to(std::ostream&)"},
    {"_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<int>::push_back(int const&)"},
    {"_Z1fNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE", "f(std::string)"},
    {"_Z1fSt6vectorINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESaIS5_EE",
     "f(std::vector<std::string>)"},
    {"_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4sizeEv", "std::string::size() const"},
    {"_Z1fSt17basic_string_viewIcSt11char_traitsIcEE", "f(std::string_view)"},
    {"_ZL4workv.constprop.0.isra.0", "work()"},
    {"_Znwm@plt", "operator new(unsigned long)@plt"},
    {"_Znwm@@GLIBCXX_3.4", "operator new(unsigned long)"},
    {"__heat_MOD_step", "heat::step"},
    {"__heat_MOD_a_b2", "heat::a_b2"},
    {"__heat_MOD_step.constprop.0", "heat::step"},
    {"__heat_MOD_", "__heat_MOD_"},
    {"___MOD_", "___MOD_"},
    {"__Heat_MOD_step", "__Heat_MOD_step"},
    {"__heat_MOD_Step", "__heat_MOD_Step"},
    {"_ZNothing", "_ZNothing"},
    {"_Z", "_Z"},
    /* clones and versions */
    {"parse.cold", "parse"},
    {"parse.cold.17", "parse"},
    {"parse.part.0.constprop.12", "parse"},
    {"parse.lto_priv.0", "parse"},
    {"parse.llvm.1234567890123456789", "parse"},
    {"parse.localalias", "parse"},
    {"parse.localalias.3", "parse"},
    {"memcpy@@GLIBC_2.14", "memcpy"},
    {"memcpy@GLIBC_2.2.5", "memcpy"},
    {"memcpy@plt", "memcpy@plt"},
    {"parse.avx2", "parse.avx2"},
    {"counter.0", "counter.0"},
    {".cold", ".cold"},
    /* Rust, legacy */
    {"_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad"},
    {"_ZN4core3fmt9Formatter3pad17h0123456789abcdefE.llvm.42", "core::fmt::Formatter::pad"},
    {"_ZN60_$LT$alloc..string..String$u20$as$u20$core..fmt..Display$GT$3fmt17h0123456789abcdefE",
     "<alloc::string::String as core::fmt::Display>::fmt"},
    {"_ZN3foo17h05af221e174051e9E", "foo"},
    {"_ZN3foo3barE", "foo::bar"},
    /* Rust, v0 */
    {"_RNvC6_123foo3bar", "123foo::bar"},
    {"_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar"},
    {"_RNvCs15kBYyAo9fc_7mycrate7example", "mycrate::example"},
    {"_RINvCsgStHSCytQ6I_7mycrate7exampleNtB2_3FooE", "mycrate::example::<mycrate::Foo>"},
    {"_RINvNtC3std3mem8align_ofjdE", "std::mem::align_of::<usize, f64>"},
    {"_RINvNtC3std3mem8align_ofjEC3foo", "std::mem::align_of::<usize>"},
    {"_RNvMs_Cs4Cv8Wi1oAIB_7mycrateNtB4_7Example3foo", "<mycrate::Example>::foo"},
    {"_RNvXCs15kBYyAo9fc_7mycrateNtB2_7ExampleNtB2_5Trait3foo",
     "<mycrate::Example as mycrate::Trait>::foo"},
    {"_RNvYNtC7mycrate7ExampleNtB4_5Trait3foo", "<mycrate::Example as mycrate::Trait>::foo"},
    {"_RNCNvCsgStHSCytQ6I_7mycrate4main0B3_", "mycrate::main::{closure#0}"},
    {"_RNCNvCsgStHSCytQ6I_7mycrate4mains_0B3_", "mycrate::main::{closure#1}"},
    {"_RNSNvC7mycrate4main6vtable", "mycrate::main::{shim:vtable#0}"},
    {"_RINvC3foo3barRSlQhE", "foo::bar::<&[i32], &mut u8>"},
    {"_RINvC3foo3barAhj4_E", "foo::bar::<[u8; 4]>"},
    {"_RINvC3foo3barTEThEThbEE", "foo::bar::<(), (u8,), (u8, bool)>"},
    {"_RINvC3foo3barPhOhE", "foo::bar::<*const u8, *mut u8>"},
    {"_RINvC3foo3barFEuE", "foo::bar::<fn()>"},
    {"_RINvC3foo3barFUKChbEzE", "foo::bar::<unsafe extern \"C\" fn(u8, bool) -> !>"},
    {"_RINvC3foo3barFG_RL0_hEuE", "foo::bar::<for<'a> fn(&'a u8)>"},
    {"_RINvC3foo3barDNtB2_5TraitEL_E", "foo::bar::<dyn foo::Trait>"},
    {"_RINvC3foo3barDNtB2_5Traitp4ItemhEL_E", "foo::bar::<dyn foo::Trait<Item = u8>>"},
    {"_RINvC3foo3barDINtB2_5TraitlEp4ItemhNtB2_4SendEL_E",
     "foo::bar::<dyn foo::Trait<i32, Item = u8> + foo::Send>"},
    {"_RINvC3foo3barKj1f_E", "foo::bar::<31>"},
    {"_RINvC3foo3barKln1f_E", "foo::bar::<-31>"},
    {"_RINvC3foo3barKb1_Kc41_KpE", "foo::bar::<true, 'A', _>"},
    {"_RINvC3foo3barKoffffffffffffffff1_E", "foo::bar::<0xffffffffffffffff1>"},
    {"_RINvC3foo3barL_E", "foo::bar::<'_>"},
    {"_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y",
     "utf8_idents::___7hkackfecea1cbdathfdh9hlq6y"},
    {"_RNvC3foo3bar.llvm.123", "foo::bar"},
    /* Damaged: shown as they are. */
    {"_R", "_R"},
    {"_RNvC3foo", "_RNvC3foo"},
    {"_RNvC3foo9bar", "_RNvC3foo9bar"},
    {"_RINvC3foo3barBb_E", "_RINvC3foo3barBb_E"},
    {"_RINvC3foo3barBz_E", "_RINvC3foo3barBz_E"},
    {"_RINvC3foo3barL0_E", "_RINvC3foo3barL0_E"},
};

static void shows_known_names(void) {
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char *name = demangle(names[i].linkage);
    check_text(__FILE__, __LINE__, names[i].linkage, name, names[i].name);
    free(name);
  }
}

/* Back references that double the output at each level must end early. */
static void bounds_expansion(void) {
  char linkage[4096] = "_RINvC3foo3bar";
  size_t length = strlen(linkage);
  size_t last = 0;
  for (int i = 0; i < 40; i++) {
    size_t here = length - 2;
    if (i == 0)
      length += (size_t)sprintf(linkage + length, "ThhE");
    else {
      char digits[16] = "";
      size_t number = last - 1, count = 0;
      char reversed[16];
      do {
        reversed[count++] =
            "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[number % 62];
        number /= 62;
      } while (number > 0);
      for (size_t k = 0; k < count; k++)
        digits[k] = reversed[count - 1 - k];
      length += (size_t)sprintf(linkage + length, "TB%s_B%s_E", digits, digits);
    }
    last = here;
  }
  sprintf(linkage + length, "E");
  char *name = demangle(linkage);
  CHECK_TEXT(name, linkage);
  free(name);
}

static void bounds_depth(void) {
  char linkage[20000];
  memset(linkage, 'S', sizeof linkage);
  memcpy(linkage, "_RINvC3foo3bar", 14);
  strcpy(linkage + sizeof linkage - 4, "hE");
  char *name = demangle(linkage);
  CHECK_TEXT(name, linkage);
  free(name);
}

static void finds_variants(void) {
  CHECK(demangle_variant("_ZN3FooC2Ev", 0) == 8);
  CHECK(demangle_variant("_ZN3FooD1Ev", 0) == 8);
  CHECK(demangle_variant("_ZN3FooC2IiEET_", 0) == 8);
  CHECK(demangle_variant("_ZN1BCI21AEi", 0) == 7);
  CHECK(demangle_variant("_ZN3FooD0Ev", 0) == 0);
  CHECK(demangle_variant("_ZN3FooC", 0) == 0);
  CHECK(demangle_variant("_ZN3FooC2", 0) == 0);
  CHECK(demangle_variant("FooC2Ev", 0) == 0);
  CHECK(demangle_is_unified("_ZN3FooC4Ev") && !demangle_is_unified("_ZN3FooC2Ev"));
}

int main(void) {
  shows_known_names();
  finds_variants();
  bounds_expansion();
  bounds_depth();
  return check_result();
}
