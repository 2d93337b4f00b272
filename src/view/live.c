#include "view/live.h"

#include "base/json.h"
#include "profile/profile.h"

int live_show(struct view *view, struct profile *profile, const char *name, const char *path,
              struct error *error) {
  struct workspace *workspace = &view->workspace;
  if (view_forget(view, error) != 0) {
    if (profile) profile_free(profile);
    return -1;
  }
  int result = workspace->count ? workspace_replace(workspace, 1, profile, name, path, error)
                                : workspace_add_made(workspace, profile, name, path, error);
  view->live->turn += result == 0;
  view->live->wanted = false;
  return result;
}

bool live_is_of_turn(const struct view *view, const struct parameters *parameters) {
  int64_t turn = parameters_number(parameters, "turn", UINT32_MAX, 0);
  return !view->live || !turn || turn == view->live->turn;
}

int live_answer(struct view *view, const struct parameters *parameters, FILE *out) {
  static struct view_live none;
  struct view_live *live = view->live ? view->live : &none;
  struct json json = {.out = out, .first = true};
  if (live->turn && parameters_number(parameters, "want", 1, 0) &&
      parameters_number(parameters, "turn", UINT32_MAX, 0) == live->turn)
    live->wanted = true;
  json_open(&json, NULL, '{');
  json_number(&json, "turn", live->turn);
  json_number(&json, "running", live->running);
  json_number(&json, "age_ns", live->age_ns);
  json_number(&json, "every_ns", live->every_ns);
  json_text(&json, "note", live->note ? live->note : "");
  json_close(&json, '}');
  return 0;
}
