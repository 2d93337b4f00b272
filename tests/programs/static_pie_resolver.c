/* The same in a static program that is position-independent: the resolver runs while it relocates
 * itself.
 * EXPECT levels -O0 -O2
 * EXPECT compile -static-pie -fPIE
 * EXPECT also resolver_other.c
 * EXPECT output 42
 * EXPECT calls work 3
 * EXPECT unsampled nothing can be loaded into it
 */
#include "static_resolver.c"
