#include "profile/centres.h"

uint32_t centres_add(struct profile_builder *builder, const struct profile_function *centre) {
  struct profile *profile = builder->profile;
  const char *name = builder_text(builder, centre->name);
  const char *module = builder_text(builder, centre->linkage);
  uint32_t id = map_find_or_add(&builder->objects, (uintptr_t)name, (uintptr_t)module,
                                (uint32_t)profile->function_count);
  return id == profile->function_count ? profile_add_function(profile, *centre) : id;
}

uint32_t centres_add_unrecorded(struct profile_builder *builder) {
  const struct profile_function centre = {
      .name = "<unrecorded>", .linkage = "", .object = NOTHING, .kind = FUNCTION_OVERFLOW};
  return centres_add(builder, &centre);
}
