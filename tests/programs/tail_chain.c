/* Functions that left by tail calls stand in the profile: with hooks all of them, and nothing has
 * to be put back.
 * EXPECT levels -O2 -O3
 * EXPECT record --rate 2000
 * EXPECT output 900210
 * EXPECT calls work 30
 * EXPECT calls easy 10
 * EXPECT calls last 10
 * EXPECT calls shared 10
 * EXPECT calls split 20
 * EXPECT arc main easy 10
 * EXPECT arc easy work 10
 * EXPECT arc main work 0
 * EXPECT share easy measured
 * EXPECT arc main deep 10
 * EXPECT arc deep middle 10
 * EXPECT arc middle last 10
 * EXPECT arc last work 10
 * EXPECT arc deep work 0
 * EXPECT arc deep last 0
 * EXPECT share deep measured
 * EXPECT share middle measured
 * EXPECT share last measured
 * EXPECT arc main hard 10
 * EXPECT arc hard work 10
 * EXPECT share hard measured
 * EXPECT arc main either 10
 * EXPECT arc either first 5
 * EXPECT arc either second 5
 * EXPECT arc first shared 5
 * EXPECT arc second shared 5
 * EXPECT arc main shared 0
 * EXPECT never first second
 * EXPECT arc main split 10
 * EXPECT arc main splitter 10
 * EXPECT arc splitter split 10
 * EXPECT tail easy work 0
 * EXPECT doubt main split 0
 * EXPECT unsampled without counts tail calls are not put back
 * EXPECT uncounted tail calls are counted where they are, and stacks leave them out
 */
#define TAILS_ARE_KEPT
#include "parts/tail_calls.h"
