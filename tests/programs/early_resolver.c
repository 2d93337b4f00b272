/* In a dynamic program an ifunc's resolver runs before thread-local variables have their values; it
 * calls another file's function, which has hooks.
 * EXPECT levels -O0 -O2
 * EXPECT also resolver_other.c
 * EXPECT output 42
 * EXPECT calls work 3
 */
#include "static_resolver.c"
