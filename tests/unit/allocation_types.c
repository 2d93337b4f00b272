/* The section of allocated blocks' types: what is asked of it, and what it takes for none. */
#include "symbols/allocation_types.h"

#include <stdlib.h>

#include "check.h"

#define PLACE(function, line, column, callee, type)                                                \
  "\1" function "\2main.c\2" line "\2" column "\2" callee "\2" type "\0"

static const char SECTION[] = PLACE("main", "7", "3", "a", "struct node")
    PLACE("main", "7", "9", "f", "struct point") PLACE("main", "8", "3", "a", "int")
        PLACE("main", "8", "3", "a", "long") PLACE("main", "9", "3", "a", "int")
            PLACE("main", "9", "3", "f", "int") PLACE("_Z4makeIiEPT_v", "10", "3", "a", "_ZTSi")
                PLACE("_Z4makeISt4pairIclEEPT_v", "10", "3", "a", "_ZTSSt4pairIclE")
                    PLACE("_ZZ4mainENKUliE_clEi", "11", "3", "a", "_ZTSc") PLACE("checked", "12",
                                                                                 "3", "a", "")
                        PLACE("main", "99999999999999999999", "3", "a",
                              "int") "main\2main.c\0" /* no place: each of these lacks something */
                                     "\1main\2main.c\2"
                                     "13\2"
                                     "3\2"
                                     "a\0"
                                     "\1main\2main.c\2"
                                     "14\2"
                                     "3\2"
                                     "a\2int\2more\0"
                                     "\1\0\0"
                                     "\1main\2main.c\2"
                                     "15\2"
                                     "3\2"
                                     "a\2int"; /* the last may lack its end */

static struct allocation_types types;

static const char *kind_of(const char *function, const char *linkage, const char *file,
                           uint32_t line, uint32_t column) {
  static char text[100];
  struct allocation_asked asked = {function, linkage, file, line, column};
  const struct allocation_place *place = allocation_types_find(&types, &asked);
  if (!place) return "none";
  char *name = allocation_type_name(place);
  snprintf(text, sizeof text, "%s%s", name ? name : "no name",
           place->by_allocator ? "" : " of a function");
  free(name);
  return text;
}

static const char *in_main(uint32_t line, uint32_t column) {
  return kind_of("main", "main", "/src/main.c", line, column);
}

static void test_places(void) {
  CHECK_TEXT(in_main(7, 3), "struct node");
  CHECK_TEXT(in_main(7, 9), "struct point of a function");
  CHECK_TEXT(in_main(7, 4), "none");
  CHECK_TEXT(in_main(6, 3), "none");
  CHECK_TEXT(in_main(15, 3), "int");
  CHECK_TEXT(kind_of("other", "other", "main.c", 7, 3), "none");
  CHECK_TEXT(kind_of("main", "main", "domain.c", 7, 3), "none");
  CHECK_TEXT(kind_of("checked", NULL, "main.c", 12, 3), "");
}

static void test_ambiguous_ones(void) {
  CHECK_TEXT(in_main(8, 3), "none");
  CHECK_TEXT(in_main(9, 3), "none");
}

/* What only its unit can see has a name in other words where it was inlined. */
static void test_templates(void) {
  CHECK_TEXT(kind_of("int* make<int>()", "_Z4makeIiEPT_v", "main.c", 10, 3), "int");
  CHECK_TEXT(kind_of("std::pair<char, long>* make<std::pair<char, long> >()",
                     "_Z4makeISt4pairIclEEPT_v", "main.c", 10, 3),
             "std::pair<char, long>");
  CHECK_TEXT(kind_of("long* make<long>()", "_Z4makeIlEPT_v", "main.c", 10, 3), "none");
  CHECK_TEXT(kind_of("main::{lambda}::operator()(int)", NULL, "main.c", 11, 3), "char");
  CHECK_TEXT(kind_of("other::{lambda}::operator()(int)", NULL, "main.c", 11, 3), "none");
}

static void test_damage(void) {
  CHECK_TEXT(in_main(0, 3), "int"); /* a number that is none */
  CHECK_TEXT(in_main(13, 3), "none");
  CHECK_TEXT(in_main(14, 3), "none");
  CHECK(types.count == 12);
}

int main(void) {
  allocation_types_read(SECTION, sizeof SECTION - 1, &types);
  test_places();
  test_ambiguous_ones();
  test_templates();
  test_damage();
  allocation_types_free(&types);
  allocation_types_read("", 0, &types);
  CHECK_TEXT(in_main(7, 3), "none");
  allocation_types_free(&types);
  return check_result();
}
