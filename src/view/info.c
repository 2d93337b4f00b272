#include "view/info.h"
#include "view/live.h"

#include "profile/drops.h"
#include "report/sql_json.h"
#include "view/timeline.h"

static int write_part(struct view *view, struct json *json, const char *key, const char *sql,
                      size_t profile, struct error *error) {
  sqlite3_stmt *statement = NULL;
  int p = (int)profile;
  if (workspace_prepare(&view->workspace, &statement, error, sql, p, p, p, p) != 0) return -1;
  int result = sql_json_rows(json, key, statement) == SQLITE_DONE
                   ? 0
                   : workspace_error(&view->workspace, error);
  sqlite3_finalize(statement);
  return result;
}

/* Flags as numbers, as tables have them: the type of an expression is not BOOLEAN. */
static const struct {
  const char *key, *sql; /* with the profile's number for each %d, of which there are up to four */
} parts[] = {
    {"about", "SELECT id, path, unit, scale, whole / scale AS whole_ns, ticks, executions"
              " FROM profile"
              " WHERE id = %d"},
    {"books",
     "SELECT sum(user_ns + system_ns) AS cpu_ns, sum(user_ns) AS user_ns,"
     " sum(system_ns) AS system_ns, sum(sampled_ns) AS sampled_ns, sum(paused_ns) AS paused_ns,"
     " sum(user_ns + system_ns - charged_high_ns) AS profiling_low_ns,"
     " sum(user_ns + system_ns - charged_low_ns) AS profiling_high_ns,"
     " sum(handlers_ns) AS handlers_ns, sum(hooks_high_ns) AS hooks_high_ns,"
     " sum(recorder_ns) AS recorder_ns, sum(ticks) AS ticks, sum(calls) AS calls FROM p%d.runs"},
    {"unattributed", "SELECT * FROM p%d.unattributed"},
    {"own",
     "SELECT own + 0 AS own, sum(self_ns) AS self_ns, count(*) AS functions FROM p%d.functions"
     " GROUP BY own"},
    {"cut", "SELECT sum(total_ns) AS total_ns FROM p%d.functions WHERE kind = 'cut'"},
    {"endings",
     "SELECT ending, signal, truncated + 0 AS truncated, count(*) AS processes FROM p%d.processes"
     " GROUP BY ending, signal, truncated"},
    {"runs", "SELECT * FROM p%d.runs LIMIT 100"},
    {"origin", "SELECT * FROM p%d.origin LIMIT 1"},
    {"metrics",
     "SELECT id, name, unit, kind, evidence, whole, ticks FROM p%d.metrics ORDER BY name"},
    {"threads",
     "SELECT t.id, t.process, t.pid, t.tid, t.name, t.start_function_name, t.ticks, t.self_ns,"
     " t.self_low_ns, t.self_high_ns, t.cpu_ns, w.waiting_ns FROM p%d.threads t"
     " LEFT JOIN (SELECT x.thread, sum(c.self_ns) AS waiting_ns FROM p%d.wait_contexts c"
     " CROSS JOIN p%d.contexts x ON x.id = c.context GROUP BY x.thread) w ON w.thread = t.id"
     " ORDER BY t.self_ns DESC, t.cpu_ns DESC LIMIT 200"},
    {"processes",
     "SELECT p.id, p.pid, p.executable, p.command, p.user_ns + p.system_ns AS cpu_ns, p.lived_ns,"
     " w.waited_ns, (SELECT count(*) FROM p%d.threads t WHERE t.process = p.id) AS threads"
     " FROM p%d.processes p LEFT JOIN p%d.wait_books w ON w.process = p.id"
     " ORDER BY cpu_ns DESC LIMIT 100"},
    {"lives", "SELECT sum(lived_ns) AS lived_ns, sum(cpu_ns) AS cpu_ns, sum(ready_ns) AS ready_ns,"
              " sum(waited_ns) AS waited_ns,"
              " (SELECT total(unseen_errno <> 0) FROM p%d.raw_wait_processes) AS unseen"
              " FROM p%d.wait_books"},
    {"totals", "SELECT (SELECT count(*) FROM p%d.processes) AS processes,"
               " (SELECT count(*) FROM p%d.threads) AS threads,"
               " (SELECT count(*) FROM (SELECT DISTINCT job, rank FROM p%d.processes"
               "  WHERE rank IS NOT NULL)) AS ranks,"
               " (SELECT count(*) FROM p%d.runs) AS runs"},
    {"counts",
     "SELECT count(*) AS functions, sum(calls) AS calls, max(total_ns) AS total_ns,"
     " max(self_ns) AS self_ns, total(self_ns > self_uncertainty_ns) AS certain,"
     " total(iif(self_ns > self_uncertainty_ns, 0, self_ns)) AS uncertain_ns,"
     " total(self_ns > 0 AND self_ns <= self_uncertainty_ns) AS uncertain FROM p%d.functions"},
};

#define SUM(kind, key, one, several) "sum(dropped_" #key "),"
static const char sum_drops[] = "SELECT " DROP_NAMES(SUM) " 0 FROM p%d.runs";
#undef SUM

/* What the recording gave up, in words and how often; nothing of kinds that never were. */
static int write_drops(struct view *view, struct json *json, size_t profile, struct error *error) {
  sqlite3_stmt *statement = NULL;
  if (workspace_prepare(&view->workspace, &statement, error, sum_drops, (int)profile) != 0)
    return -1;
  int result = sqlite3_step(statement) == SQLITE_ROW ? 0 : workspace_error(&view->workspace, error);
  json_open(json, "dropped", '[');
  for (int kind = 0; result == 0 && kind < DROP_KINDS; kind++) {
    sqlite3_int64 count = sqlite3_column_int64(statement, kind);
    if (count == 0) continue;
    json_open(json, NULL, '{');
    json_number(json, "count", (uint64_t)count);
    json_text(json, "name", count == 1 ? drop_names[kind].one : drop_names[kind].several);
    json_close(json, '}');
  }
  json_close(json, ']');
  sqlite3_finalize(statement);
  return result;
}

static int write_profile(struct view *view, struct json *json, size_t profile,
                         struct error *error) {
  int result = 0;
  json_open(json, NULL, '{');
  for (size_t i = 0; result == 0 && i < sizeof parts / sizeof *parts; i++)
    result = write_part(view, json, parts[i].key, parts[i].sql, profile, error);
  if (result == 0) result = write_drops(view, json, profile, error);
  json_close(json, '}');
  return result;
}

int info_answer(struct view *view, FILE *out, struct error *error) {
  struct json json = short_names_note(view, out);
  int result = 0;
  json_open(&json, NULL, '{');
  json_open(&json, "profiles", '[');
  for (size_t profile = 1; result == 0 && profile <= view->workspace.count; profile++)
    result = write_profile(view, &json, profile, error);
  json_close(&json, ']');
  json_open(&json, "sizes", '[');
  for (size_t i = 0; i < view->workspace.count && view->n[0] > 0; i++)
    json_real(&json, NULL, view->n[i]);
  json_close(&json, ']');
  json_number(&json, "timed", timeline_is_known(view));
  json_number(&json, "turn", view->turn);
  if (result == 0) short_names_write(&json);
  json_close(&json, '}');
  return result;
}
