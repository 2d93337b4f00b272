/* Section 3 of Sansom and Peyton Jones, "Profiling lazy functional languages", in C: delayed
 * computations carry the cost centre in which they were made, and are entered where that says, not
 * where they are demanded.  Elements that nobody demands cost their centre nothing, and those that
 * were demanded before cost nothing again. tests/scenarios/deferred_work.py compares with GHC.
 * EXPECT output 1075019020820 1000 1071820987412 1087620489200
 * EXPECT entries builder 1
 * EXPECT entries foo 101
 * EXPECT entries bar 101
 * EXPECT entries spine 2
 * EXPECT entries element 1000
 * EXPECT entries f 3000
 * EXPECT inside foo bar 101
 * EXPECT inside foo f 2000
 * EXPECT inside spine element 1000
 * EXPECT inside spine element f 1000
 * EXPECT centres builder foo bar spine element f
 * EXPECT centre-share builder self 0.2 0.33
 * EXPECT centre-share bar self 0.09 0.18
 * EXPECT centre-share f self 0.34 0.46
 * EXPECT centre-share element self 0.14 0.26
 */
#include "../../docs/examples/lazy_stream.c"
