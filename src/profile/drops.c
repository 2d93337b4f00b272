#include "profile/drops.h"

#define NAME(kind, key, one, several) [DROP_##kind] = {#key, one, several},
const struct drop_name drop_names[DROP_KINDS] = {DROP_NAMES(NAME)};
#undef NAME

#define ONE(kind, key, one, several) +1
_Static_assert(0 DROP_NAMES(ONE) == DROP_KINDS, "each kind of drops has its names");
#undef ONE
