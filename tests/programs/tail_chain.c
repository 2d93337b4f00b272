/* Functions that left by tail calls stand in the profile where the debug information leaves one
 * possible chain, and all calls that lead into a context agree on it; elsewhere it stays as the
 * stack was.
 * EXPECT levels -O2 -O3
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
 * EXPECT arc easy work 10
 * EXPECT arc main work 0
 * EXPECT tail easy work 10
 * EXPECT share easy measured
 * EXPECT arc middle last 10
 * EXPECT arc last work 10
 * EXPECT tail last work 10
 * EXPECT arc deep work 0
 * EXPECT arc deep last 0
 * EXPECT share deep measured
 * EXPECT share middle measured
 * EXPECT share last measured
 * EXPECT share hard measured
 * EXPECT tail hard work 0
 * EXPECT arc either first 5
 * EXPECT arc either second 5
 * EXPECT arc main shared 10
 * EXPECT doubt main shared 10
 * EXPECT doubt main either 0
 * EXPECT doubt main easy 0
 * EXPECT doubt easy work 0
 * EXPECT doubt last work 0
 * EXPECT doubt hard work 0
 * EXPECT never first shared
 * EXPECT arc main split 20
 * EXPECT doubt main split 10
 * EXPECT never splitter split
 * EXPECT unsampled without counts tail calls are not put back
 * EXPECT uncounted tail calls are counted where they are, and stacks leave them out
 */
#define TAILS_PUT_BACK
#include "parts/tail_calls.h"
