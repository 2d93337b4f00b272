#include "view/live.h"

#include "base/json.h"

bool live_is_of_turn(const struct view *view, const struct parameters *parameters) {
  int64_t turn = parameters_number(parameters, "turn", UINT32_MAX, 0);
  return !view->live || !turn || turn == view->turn;
}

void live_answer(const struct view *view, const struct parameters *parameters, FILE *out) {
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
}
