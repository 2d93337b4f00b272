#include "view/dial.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attribution/equations/possible_calls.h"
#include "base/json.h"
#include "base/memory.h"
#include "store/store.h"

struct dial {
  char *path, *kept;       /* of the profile, and of the choice */
  struct profile *profile; /* with the choice; null: not needed yet */
  bool set;                /* `kept` is what is shown */
};

bool dial_is_set(const struct view *view) {
  return view->dial && view->dial->set;
}

/* ---- what is shown ---- */

static int show(struct view *view, bool set, struct error *error) {
  struct dial *dial = view->dial;
  struct workspace *workspace = &view->workspace;
  if (view_forget(view, error) != 0) return -1;
  if (dial->set && workspace_run(workspace, error, "DETACH chosen_from") != 0) return -1;
  dial->set = false;
  if (workspace_attach(workspace, 1, set ? dial->kept : dial->path, error) != 0) return -1;
  if (!set) return 0;
  if (workspace_attach_as(workspace, "chosen_from", dial->path, error) != 0) return -1;
  dial->set = true;
  return 0;
}

/* ---- the choice that is kept ---- */

/* Others may have put a file there: only one of the user's own is a choice. */
static bool is_own_and_newer(const char *path, const char *than) {
  struct stat own, other;
  if (lstat(path, &own) != 0 || stat(than, &other) != 0) return false;
  if (!S_ISREG(own.st_mode) || own.st_uid != geteuid()) return false;
  return own.st_mtim.tv_sec != other.st_mtim.tv_sec ? own.st_mtim.tv_sec > other.st_mtim.tv_sec
                                                    : own.st_mtim.tv_nsec >= other.st_mtim.tv_nsec;
}

bool dial_is_kept(const struct view *view) {
  return is_own_and_newer(view->dial->kept, view->dial->path);
}

static bool any_fixed(const struct profile *profile) {
  for (size_t i = 0; i < profile->possible_call_count; i++)
    if (profile->possible_calls[i].fixed != NOT_FIXED) return true;
  return false;
}

/* Whether the choice is of this profile: the same functions and call sites. */
static int is_of_profile(struct view *view, bool *yes, struct error *error) {
  sqlite3_stmt *statement = NULL;
  if (workspace_prepare(&view->workspace, &statement, error,
                        "SELECT NOT EXISTS (SELECT id, name FROM p1.raw_functions"
                        "  EXCEPT SELECT id, name FROM chosen_from.raw_functions)"
                        " AND NOT EXISTS (SELECT id, caller, callee, line FROM p1.raw_sites"
                        "  EXCEPT SELECT id, caller, callee, line FROM chosen_from.raw_sites)") !=
      0)
    return -1;
  int result = sqlite3_step(statement) == SQLITE_ROW ? 0 : workspace_error(&view->workspace, error);
  *yes = result == 0 && sqlite3_column_int(statement, 0);
  sqlite3_finalize(statement);
  return result;
}

static int take_up(struct view *view, struct error *error) {
  bool own;
  if (show(view, true, error) != 0 || is_of_profile(view, &own, error) != 0) return -1;
  if (own) return 0;
  profile_free(view->dial->profile);
  view->dial->profile = NULL;
  return show(view, false, error);
}

int dial_open(struct view *view, const char *path, struct error *error) {
  struct error reason;
  struct dial *dial = view->dial = memory_zeroed(1, sizeof *dial);
  dial->path = memory_text(path);
  dial->kept = memory_printed("%s.dial", path);
  if (!is_own_and_newer(dial->kept, path) || store_load(dial->kept, &dial->profile, &reason) != 0)
    return 0;
  return any_fixed(dial->profile) ? take_up(view, error) : 0;
}

void dial_close(struct view *view) {
  struct dial *dial = view->dial;
  if (!dial) return;
  if (dial->profile) profile_free(dial->profile);
  free(dial->path);
  free(dial->kept);
  free(dial);
}

/* Texts of sources are the profile's. */
static int keep(struct view *view, struct error *error) {
  struct dial *dial = view->dial;
  const char *profiles[] = {dial->path};
  const struct kept_sources sources = {profiles, 1};
  if (!any_fixed(dial->profile)) {
    if (show(view, false, error) != 0) return -1;
    return unlink(dial->kept) == 0 || errno == ENOENT
               ? 0
               : error_set(error, "%s cannot be removed: %s", dial->kept, strerror(errno));
  }
  int result = store_save_merged(dial->profile, &sources, dial->kept, error);
  return result == 0 ? show(view, true, error) : -1;
}

/* ---- a value ---- */

static int load(struct dial *dial, struct error *error) {
  if (dial->profile) return 0;
  if (store_load(dial->path, &dial->profile, error) != 0) return -1;
  if (dial->profile->possible_call_count) return 0;
  return error_set(error, "this profile has nothing to choose: its calls were counted");
}

static int refuse(const struct call_conflict *conflict, struct error *error) {
  if (conflict->index == NOTHING)
    return error_set(error, "this call does not follow from equations");
  return error_set(error, "it contradicts the counts: the nearest possible value is %llu",
                   (unsigned long long)conflict->fits);
}

static int fix(struct profile *profile, uint32_t site, uint64_t *value, bool near,
               struct error *error) {
  struct call_conflict conflict;
  if (possible_calls_fix(profile, site, *value, &conflict) == 0) return 0;
  if (near && conflict.index != NOTHING) {
    *value = conflict.fits;
    if (possible_calls_fix(profile, site, *value, &conflict) == 0) return 0;
  }
  return refuse(&conflict, error);
}

static int unfix(struct profile *profile, uint32_t site, struct error *error) {
  struct call_conflict conflict;
  return possible_calls_unfix(profile, site, &conflict) == 0 ? 0 : refuse(&conflict, error);
}

static int unfix_all(struct profile *profile, struct error *error) {
  for (size_t i = 0; i < profile->possible_call_count; i++)
    if (profile->possible_calls[i].fixed != NOT_FIXED &&
        unfix(profile, profile->possible_calls[i].site, error) != 0)
      return -1;
  return 0;
}

/* ---- what would follow ---- */

static const struct profile_possible_call *call_at(const struct profile *profile, uint32_t site) {
  for (size_t i = 0; i < profile->possible_call_count; i++)
    if (profile->possible_calls[i].site == site) return &profile->possible_calls[i];
  return NULL;
}

static uint64_t calls_of(const struct profile_possible_call *call) {
  return call->fixed != NOT_FIXED ? call->fixed : call->estimate;
}

static void write_followers(struct json *json, const struct profile *profile,
                            const struct profile_possible_call *before) {
  json_open(json, "calls", '[');
  for (size_t i = 0; i < profile->possible_call_count; i++) {
    const struct profile_possible_call *call = &profile->possible_calls[i];
    if (call->site == NOTHING || (calls_of(call) == calls_of(&before[i]) &&
                                  call->least == before[i].least && call->most == before[i].most))
      continue;
    json_open(json, NULL, '[');
    json_number(json, NULL, (uint64_t)call->site + 1);
    json_number(json, NULL, calls_of(call));
    json_number(json, NULL, call->least);
    if (call->most == UINT64_MAX)
      json_null(json, NULL);
    else
      json_number(json, NULL, call->most);
    json_close(json, ']');
  }
  json_close(json, ']');
}

/* Nothing is kept: the value is taken, what changes is told, and it is taken back. */
static int try_value(struct profile *profile, uint32_t site, uint64_t value, FILE *out,
                     struct error *error) {
  const struct profile_possible_call *own = call_at(profile, site);
  if (!own) return error_set(error, "this call does not follow from equations");
  struct profile_possible_call was = *own;
  size_t bytes = profile->possible_call_count * sizeof *own;
  struct profile_possible_call *before = memory_resized(NULL, bytes, 1);
  memcpy(before, profile->possible_calls, bytes);
  int result = fix(profile, site, &value, true, error);
  if (result == 0) {
    struct json json = {.out = out, .first = true};
    json_open(&json, NULL, '{');
    json_number(&json, "value", value);
    write_followers(&json, profile, before);
    json_close(&json, '}');
    result = was.fixed != NOT_FIXED ? fix(profile, site, &was.fixed, false, error)
                                    : unfix(profile, site, error);
  }
  free(before);
  return result;
}

int dial_answer(struct view *view, const struct parameters *parameters, FILE *out,
                struct error *error) {
  struct dial *dial = view->dial;
  if (view->of_parts) return error_set(error, "calls are of the whole run: show that first");
  if (!dial)
    return error_set(error, "this profile is not a file, so a choice cannot be saved beside it");
  if (load(dial, error) != 0) return -1;
  int64_t site = parameters_number(parameters, "site", UINT32_MAX - 1, 0);
  int64_t given = parameters_number(parameters, "value", INT64_MAX, -1);
  bool near = parameters_number(parameters, "near", 1, 0);
  uint64_t value = (uint64_t)given;
  if (site && given >= 0 && parameters_number(parameters, "try", 1, 0))
    return try_value(dial->profile, (uint32_t)site - 1, value, out, error);
  int result;
  if (site == 0)
    result = unfix_all(dial->profile, error);
  else if (given < 0)
    result = unfix(dial->profile, (uint32_t)site - 1, error);
  else
    result = fix(dial->profile, (uint32_t)site - 1, &value, near, error);
  if (result == 0) result = keep(view, error);
  if (result != 0) return -1;
  struct json json = {.out = out, .first = true};
  json_open(&json, NULL, '{');
  if (site && given >= 0)
    json_number(&json, "value", value);
  else
    json_null(&json, "value");
  json_close(&json, '}');
  return 0;
}
