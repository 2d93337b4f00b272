/* Without debug information nobody knows who left by a tail call: nothing is put back.
 * EXPECT levels -O2
 * EXPECT compile -g0
 * EXPECT record --rate 2000
 * EXPECT output 900210
 * EXPECT calls work 30
 * EXPECT calls easy 10
 * EXPECT calls last 10
 * EXPECT calls shared 10
 * EXPECT calls split 20
 * EXPECT arc main easy 10
 * EXPECT arc main deep 10
 * EXPECT arc deep middle 10
 * EXPECT arc hard work 10
 * EXPECT arc main either 10
 * EXPECT arc main splitter 10
 * EXPECT arc main work 10
 * EXPECT doubt main work 10
 * EXPECT doubt deep work 10
 * EXPECT doubt hard work 0
 * EXPECT doubt main first 5
 * EXPECT doubt main shared 10
 * EXPECT doubt main split 10
 * EXPECT arc easy work 0
 * EXPECT never easy work
 * EXPECT arc deep last 10
 * EXPECT arc deep work 10
 * EXPECT share deep measured
 * EXPECT share hard measured
 * EXPECT arc main first 5
 * EXPECT arc main shared 10
 * EXPECT arc main split 20
 * EXPECT uncounted the same
 */
#include "parts/tail_calls.h"
