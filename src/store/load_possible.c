/* The equations of a call graph, with what is known of their solutions. */
#include "attribution/given.h"
#include "store/loader.h"

static void take_place(struct loader *loader, struct row_in *row) {
  struct profile *profile = loader->profile;
  loader_expect_id(row, profile->call_place_count);
  MEMORY_GROW(profile->call_places, profile->call_place_count, loader->place_room);
  struct profile_call_place *place = &profile->call_places[profile->call_place_count++];
  place->least = get_number(row, INT64_MAX);
  place->most = get_optional_number(row);
  if (place->least > place->most) row->damaged = true;
}

static void take_call(struct loader *loader, struct row_in *row) {
  struct profile *profile = loader->profile;
  MEMORY_GROW(profile->possible_calls, profile->possible_call_count, loader->possible_room);
  struct profile_possible_call *call = &profile->possible_calls[profile->possible_call_count++];
  *call = (struct profile_possible_call){.place = get_id(row, profile->call_place_count),
                                         .site = get_optional_id(row, profile->site_count)};
  call->fixed = sqlite3_column_type(row->statement, row->column) != SQLITE_NULL;
  if (call->fixed)
    call->value = get_number(row, INT64_MAX);
  else
    skip_column(row);
  call->least = get_number(row, INT64_MAX);
  call->most = get_optional_number(row);
  call->estimate = get_number(row, INT64_MAX);
  if (call->least > call->estimate || call->estimate > call->most || !profile->given)
    row->damaged = true;
}

int loader_possible(struct loader *loader) {
  if (loader_rows(loader, "SELECT id, least, most FROM raw_call_places ORDER BY id", take_place) !=
      0)
    return -1;
  return loader_rows(loader,
                     "SELECT place, site, fixed, least, most, estimate FROM raw_possible_calls"
                     " ORDER BY rowid",
                     take_call);
}
