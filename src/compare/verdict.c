#include "compare/verdict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/ids.h"

/* ---- the whole ---- */

static int find_whole(struct workspace *workspace, const struct compared *compared,
                      struct verdict *verdict, struct error *error) {
  sqlite3_stmt *row = NULL;
  if (workspace_prepare(workspace, &row, error,
                        "SELECT a.whole / a.runs, b.whole / b.runs, a.unit = 'ns',"
                        " a.counts AND b.counts, 'sized' IN (a.evidence, b.evidence)"
                        " FROM profile a, profile b WHERE a.id = %d AND b.id = %d",
                        (int)compared->first, (int)compared->second) != 0)
    return -1;
  int result = sqlite3_step(row) == SQLITE_ROW ? 0 : workspace_error(workspace, error);
  double apart = log(sqlite3_column_double(row, 1) / sqlite3_column_double(row, 0));
  double chance = compared->spread.whole;
  verdict->time = sqlite3_column_int(row, 2);
  verdict->calls_counted = sqlite3_column_int(row, 3);
  if (sqlite3_column_int(row, 4))
    apart = NAN; /* samples of memory: nobody knows how far the sum may be off */
  sqlite3_finalize(row);
  verdict->change = verdict->low = verdict->high = NAN;
  if (result != 0 || !isfinite(apart)) return result;
  verdict->change = expm1(apart);
  verdict->low = expm1(apart - chance);
  verdict->high = expm1(apart + chance);
  verdict->whole = apart > chance ? WHOLE_MORE : apart < -chance ? WHOLE_LESS : WHOLE_WITHIN_CHANCE;
  return 0;
}

/* ---- entries ---- */

static void count_entries(const struct compared *compared, struct verdict *verdict) {
  for (size_t i = 0; i < compared->pairs.count; i++) {
    const struct compared_value *value = &compared->values[i];
    if (isnan(value->value) || value->value == compared->neutral) continue;
    if (isnan(value->below))
      verdict->unknown++;
    else if (value->below == 0 && value->above == 0)
      verdict->certain++;
    else if (value->stands_out == TRUTH_YES && verdict->spread.runs[0] == verdict->spread.runs[1])
      verdict->stand_out++;
    else
      verdict->chance++;
  }
}

/* ---- counted calls ---- */

/* Those furthest apart stand first. */
static void take_count(struct verdict *verdict, struct verdict_count count) {
  size_t place = verdict->counted < VERDICT_COUNTS ? verdict->counted : VERDICT_COUNTS;
  while (place > 0 && verdict->counts[place - 1].apart < count.apart) {
    if (place < VERDICT_COUNTS) verdict->counts[place] = verdict->counts[place - 1];
    place--;
  }
  if (place < VERDICT_COUNTS) verdict->counts[place] = count;
  verdict->counted++;
}

/* Calls of one run; NaN: not counted. A function that a profile lacks was not called. */
static double calls_of(const struct entry_figures *figures, int64_t id, int runs) {
  size_t place = id == ENTRY_NONE ? figures->count : ids_find(figures->ids, figures->count, id);
  return place == figures->count ? 0 : figures->of[FIGURE_CALLS][place] / runs;
}

static int count_calls(struct workspace *workspace, const struct compared *compared,
                       struct verdict *verdict, struct error *error) {
  static const bool wanted[ENTRY_FIGURES] = {[FIGURE_CALLS] = true};
  struct entry_figures a = {0}, b = {0};
  const int *runs = compared->spread.runs;
  bool both = verdict->calls_counted && runs[0] > 0 && runs[1] > 0;
  if (compared->kind != ENTRY_FUNCTIONS || !both) return 0;
  int result = entry_figures_read(workspace, compared->first, ENTRY_FUNCTIONS, wanted, &a, error);
  if (result == 0)
    result = entry_figures_read(workspace, compared->second, ENTRY_FUNCTIONS, wanted, &b, error);
  for (size_t i = 0; result == 0 && i < compared->pairs.count; i++) {
    const struct entry_pair *pair = &compared->pairs.items[i];
    double before = calls_of(&a, pair->a, runs[0]), after = calls_of(&b, pair->b, runs[1]);
    double apart = fabs(after - before);
    if (apart > 0) /* not NaN */
      take_count(verdict, (struct verdict_count){pair->a, pair->b, {before, after}, apart, ""});
  }
  entry_figures_free(&a);
  entry_figures_free(&b);
  return result;
}

static int name_counts(struct workspace *workspace, const struct compared *compared,
                       struct verdict *verdict, struct error *error) {
  for (size_t i = 0; i < VERDICT_COUNTS && i < verdict->counted; i++) {
    struct verdict_count *count = &verdict->counts[i];
    bool in_b = count->b != ENTRY_NONE;
    sqlite3_stmt *row = NULL;
    if (workspace_prepare(workspace, &row, error,
                          "SELECT name FROM p%d.raw_functions WHERE id = ?1",
                          (int)(in_b ? compared->second : compared->first)) != 0)
      return -1;
    sqlite3_bind_int64(row, 1, in_b ? count->b : count->a);
    const char *name =
        sqlite3_step(row) == SQLITE_ROW ? (const char *)sqlite3_column_text(row, 0) : NULL;
    snprintf(count->name, sizeof count->name, "%s", name ? name : "");
    sqlite3_finalize(row);
  }
  return 0;
}

int verdict_find(struct workspace *workspace, const struct compared *compared,
                 struct verdict *verdict, struct error *error) {
  *verdict = (struct verdict){.kind = compared->kind,
                              .spread = compared->spread,
                              .judged_together = compared->judged_together};
  count_entries(compared, verdict);
  if (find_whole(workspace, compared, verdict, error) != 0) return -1;
  if (count_calls(workspace, compared, verdict, error) != 0) return -1;
  return name_counts(workspace, compared, verdict, error);
}

/* ---- in words ---- */

static void tell_head(const struct verdict *verdict, char head[VERDICT_LINE_BYTES]) {
  size_t differ = verdict->certain + verdict->stand_out;
  const char *kinds = entry_kind_names[verdict->kind];
  if (verdict->whole == WHOLE_MORE || verdict->whole == WHOLE_LESS) {
    snprintf(head, VERDICT_LINE_BYTES, "b %s %s%s", verdict->time ? "takes" : "has",
             verdict->whole == WHOLE_MORE ? "more" : "less", verdict->time ? " time" : "");
  } else if (differ)
    snprintf(head, VERDICT_LINE_BYTES, "%sdifferent %s",
             verdict->whole == WHOLE_UNKNOWN ? "" : "no difference of the whole; ", kinds);
  else if (verdict->counted)
    snprintf(head, VERDICT_LINE_BYTES, "no difference%s, but other calls",
             verdict->whole == WHOLE_UNKNOWN ? ""
             : verdict->time                 ? " of times"
                                             : " of amounts");
  else
    snprintf(head, VERDICT_LINE_BYTES, "no difference");
}

static void tell_whole(const struct verdict *verdict, char whole[VERDICT_LINE_BYTES]) {
  double chance = 100 * expm1(verdict->spread.whole);
  if (verdict->whole == WHOLE_UNKNOWN) return;
  int used = snprintf(whole, VERDICT_LINE_BYTES, "%+.1f %% in all", 100 * verdict->change);
  char *rest = whole + used;
  size_t room = (size_t)(VERDICT_LINE_BYTES - used);
  if (chance == 0)
    snprintf(rest, room, ", exactly");
  else if (verdict->spread.measured)
    snprintf(rest, room, " (95 %%: %+.1f to %+.1f %%, by how the runs differ)", 100 * verdict->low,
             100 * verdict->high);
  else
    snprintf(rest, room, "; identical runs may differ by %.0f %% (assumed)", chance);
}

static void tell_entries(const struct verdict *verdict, char text[VERDICT_LINE_BYTES]) {
  const char *kinds = entry_kind_names[verdict->kind];
  size_t used = 0;
  if (verdict->certain)
    used = (size_t)snprintf(text, VERDICT_LINE_BYTES, "certain: %zu %s (counted)%s",
                            verdict->certain, kinds, verdict->judged_together ? "; " : "");
  if (!verdict->judged_together) return;
  if (verdict->spread.runs[0] != verdict->spread.runs[1]) {
    snprintf(text + used, VERDICT_LINE_BYTES - used,
             "rows are sums of %d and of %d runs: compare as many of each", verdict->spread.runs[0],
             verdict->spread.runs[1]);
    return;
  }
  bool steady = verdict->spread.whole == 0;
  snprintf(text + used, VERDICT_LINE_BYTES - used,
           verdict->spread.measured || steady
               ? "%zu of %zu %s stand out, judged together (false discovery rate 5 %%)"
               : "%zu of %zu %s, judged together, differ by more than ticks alone explain",
           verdict->stand_out, verdict->judged_together, kinds);
}

static void tell_advice(const struct verdict *verdict, char text[VERDICT_LINE_BYTES]) {
  if (verdict->spread.whole == 0 || verdict->spread.measured) return;
  snprintf(text, VERDICT_LINE_BYTES,
           "too few runs show how far runs differ: record both with ascribe record --repeat 5");
}

void verdict_tell(const struct verdict *verdict, struct verdict_words *words) {
  *words = (struct verdict_words){0};
  tell_head(verdict, words->head);
  tell_whole(verdict, words->whole);
  tell_entries(verdict, words->entries);
  tell_advice(verdict, words->advice);
}

/* ---- as JSON ---- */

void verdict_json(const struct verdict *verdict, struct json *json) {
  static const char *const wholes[] = {NULL, "within chance", "more", "less"};
  struct verdict_words words;
  verdict_tell(verdict, &words);
  json_open(json, "verdict", '{');
  json_text(json, "whole", wholes[verdict->whole]);
  json_real(json, "change", verdict->change);
  json_real(json, "low", verdict->low);
  json_real(json, "high", verdict->high);
  json_flag(json, "measured", verdict->spread.measured);
  json_integer(json, "certain", (int64_t)verdict->certain);
  json_integer(json, "stand_out", (int64_t)verdict->stand_out);
  json_integer(json, "may_be_chance", (int64_t)verdict->chance);
  json_integer(json, "unknown", (int64_t)verdict->unknown);
  json_integer(json, "calls_differ", (int64_t)verdict->counted);
  json_open(json, "calls", '[');
  for (size_t i = 0; i < VERDICT_COUNTS && i < verdict->counted; i++) {
    json_open(json, NULL, '{');
    json_text(json, "name", verdict->counts[i].name);
    json_real(json, "a", verdict->counts[i].calls[0]);
    json_real(json, "b", verdict->counts[i].calls[1]);
    json_close(json, '}');
  }
  json_close(json, ']');
  json_open(json, "words", '[');
  const char *const lines[] = {words.head, words.whole, words.entries, words.advice};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
    if (*lines[i]) json_text(json, NULL, lines[i]);
  json_close(json, ']');
  json_close(json, '}');
}
