/* A static executable that is position-independent relocates itself before anything runs.
 * EXPECT levels -O2
 * EXPECT counted-levels expressions-O2
 * EXPECT compile -static-pie -fPIE -pthread
 * EXPECT output 3
 * EXPECT calls work 103
 * EXPECT arc main work 3
 * EXPECT arc thread_main work 100
 * EXPECT unsampled nothing can be loaded into it
 */
#include "static.c"
