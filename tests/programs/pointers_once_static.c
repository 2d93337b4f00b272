/* The same in a static program, with the other assembler syntax and marked targets of jumps.
 * EXPECT levels -O0 -O2
 * EXPECT compile -static -pthread -masm=intel -fcf-protection=full -Wno-trampolines
 * EXPECT output 4000000 42
 * EXPECT calls one 1000000
 * EXPECT calls four 1000000
 * EXPECT arc once two 1000000
 * EXPECT arc once three 1000000
 * EXPECT arc many many_integers 3
 * EXPECT arc many more_integers 1
 * EXPECT arc variable sum 2
 * EXPECT calls below 2
 * EXPECT arc leave jump 2
 * EXPECT calls after_jump 1
 * EXPECT unsampled nothing can be loaded into it
 */
#include "pointers_once.c"
