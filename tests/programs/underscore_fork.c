/* _Fork, which runs no handlers: the child records all the same.
 * EXPECT levels -O0 -O2
 * EXPECT output 7
 * EXPECT calls work 8
 * EXPECT arc main work 3
 * EXPECT arc child work 5
 * EXPECT arc outer child 1
 * EXPECT calls outer 1
 * EXPECT processes 2
 */
#define fork _Fork
#include "fork.c"
