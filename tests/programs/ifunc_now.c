/* The same bound at start, in an executable at a fixed address.
 * EXPECT levels -O2
 * EXPECT compile -fno-pie -no-pie -Wl,-z,now
 * EXPECT output 30
 * EXPECT calls chosen 10
 * EXPECT arc main chosen 10
 * EXPECT counted arc main chosen 0
 */
#include "ifunc.c"
