/* The same under ThreadSanitizer.
 * EXPECT levels -O1
 * EXPECT compile -fsanitize=thread -pthread
 * EXPECT output done
 * EXPECT calls outer 8
 * EXPECT calls inner 800000
 * EXPECT calls counted 800000
 * EXPECT arc outer inner 800000
 * EXPECT sampled cut any
 * EXPECT uncounted the host has no hooks of its own
 */
#include "host_storm.c"
