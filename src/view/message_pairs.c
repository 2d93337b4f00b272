#include "view/message_pairs.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/sql_json.h"

/* The place of each node in the matrix, and of each rank the place of its node. */
#define NODES                                                                                      \
  "node AS (SELECT host, row_number() OVER (ORDER BY min(rank_number)) - 1 AS place"               \
  " FROM p1.raw_processes WHERE rank_number AND job IS ?1 GROUP BY host),"                         \
  " place AS (SELECT p.rank_number - 1 AS rank, min(n.place) AS place FROM p1.raw_processes p"     \
  " JOIN node n ON n.host = p.host WHERE p.rank_number AND p.job IS ?1 GROUP BY p.rank_number)"

#define FIGURES                                                                                    \
  "sum(sent) AS sent, sum(sent_bytes) AS sent_bytes, sum(received) AS received,"                   \
  " sum(received_bytes) AS received_bytes, sum(elapsed_ns) AS elapsed_ns"

/* The calls of the job's ranks that have a partner. */
#define MOVED                                                                                      \
  " FROM p1.raw_messages m JOIN p1.raw_processes p ON p.id = m.process"                            \
  " WHERE p.rank_number AND m.partner AND p.job IS ?1"

/* As message_matrix, without the names of what calls. */
#define PAIRS                                                                                      \
  "pair AS (SELECT rank, partner, " FIGURES " FROM"                                                \
  " (SELECT p.rank_number - 1 AS rank, m.partner - 1 AS partner, m.sent, m.sent_bytes, "           \
  "m.received,"                                                                                    \
  " m.received_bytes, m.elapsed_ns" MOVED " UNION ALL SELECT m.partner - 1, p.rank_number - 1, "   \
  "0, m.received_bytes, 0, m.sent_bytes, 0" MOVED                                                  \
  " AND NOT m.sent AND NOT m.received) GROUP BY rank, partner"                                     \
  " HAVING sum(sent + received + sent_bytes + received_bytes))"

struct question {
  struct view *view;
  const char *job; /* null: processes that know none */
  bool by_nodes;
  int64_t size, first, last, partner_first, partner_last, step;
  struct json *json;
  struct error *error;
};

/* A statement about the job, which is ?1. */
static int prepare(struct question *question, const char *sql, sqlite3_stmt **rows) {
  if (workspace_prepare(&question->view->workspace, rows, question->error, "%s", sql) != 0)
    return -1;
  sqlite3_bind_text(*rows, 1, question->job, -1, SQLITE_STATIC);
  return 0;
}

/* The statement's only number. */
static int take_number(struct question *question, const char *sql, int64_t *number) {
  sqlite3_stmt *row = NULL;
  if (prepare(question, sql, &row) != 0) return -1;
  int result = sqlite3_step(row) == SQLITE_ROW
                   ? 0
                   : workspace_error(&question->view->workspace, question->error);
  if (result == 0) *number = sqlite3_column_int64(row, 0);
  sqlite3_finalize(row);
  return result;
}

static int measure(struct question *question) {
  if (take_number(question,
                  question->by_nodes
                      ? "WITH " NODES " SELECT coalesce(max(place) + 1, 0) FROM place"
                      : "SELECT max(coalesce(max(m.partner), 0), coalesce(max(p.rank_number), 0))"
                        " FROM p1.raw_messages m JOIN p1.raw_processes p ON p.id = m.process"
                        " WHERE p.rank_number AND m.partner AND p.job IS ?1",
                  &question->size) != 0)
    return -1;
  if (!question->by_nodes) return 0;
  int64_t any = 0;
  if (take_number(question, "WITH " PAIRS " SELECT count(*) FROM pair", &any) != 0) return -1;
  if (!any) question->size = 0;
  return 0;
}

/* ---- the answer ---- */

/* The ids of jobs that have messages; the first is taken unless one was asked for. */
static int write_jobs(struct question *question, char **first) {
  sqlite3_stmt *row = NULL;
  int step, count = 0;
  if (workspace_prepare(&question->view->workspace, &row, question->error,
                        "SELECT DISTINCT job FROM p1.raw_processes WHERE rank_number AND id IN"
                        " (SELECT process FROM p1.raw_messages WHERE partner) ORDER BY job") != 0)
    return -1;
  json_open(question->json, "jobs", '[');
  for (; (step = sqlite3_step(row)) == SQLITE_ROW; count++) {
    const char *job = (const char *)sqlite3_column_text(row, 0);
    if (job)
      json_text(question->json, NULL, job);
    else
      json_null(question->json, NULL);
    if (!count && job) *first = memory_text(job);
  }
  json_close(question->json, ']');
  sqlite3_finalize(row);
  return step == SQLITE_DONE ? 0 : workspace_error(&question->view->workspace, question->error);
}

/* And how many pairs are of none of them, since a rank was not recorded. */
static int write_nodes(struct question *question) {
  sqlite3_stmt *row = NULL;
  int step;
  if (prepare(question, "WITH " NODES " SELECT host FROM node ORDER BY place", &row) != 0)
    return -1;
  json_open(question->json, "nodes", '[');
  while ((step = sqlite3_step(row)) == SQLITE_ROW)
    json_text(question->json, NULL, (const char *)sqlite3_column_text(row, 0));
  json_close(question->json, ']');
  sqlite3_finalize(row);
  if (step != SQLITE_DONE) return workspace_error(&question->view->workspace, question->error);
  int64_t unrecorded = 0;
  if (take_number(question,
                  "WITH " NODES ", " PAIRS " SELECT count(*) FROM pair"
                  " WHERE rank NOT IN (SELECT rank FROM place)"
                  " OR partner NOT IN (SELECT rank FROM place)",
                  &unrecorded) != 0)
    return -1;
  json_integer(question->json, "unrecorded", unrecorded);
  return 0;
}

static int write_cells(struct question *question) {
  sqlite3_stmt *rows = NULL;
  const char *sql =
      question->by_nodes
          ? "WITH " NODES ", " PAIRS " SELECT (a.place - ?2) / ?6 AS place,"
            " (b.place - ?4) / ?6 AS partner_place, count(*) AS pairs, " FIGURES
            " FROM pair JOIN place a ON a.rank = pair.rank JOIN place b ON b.rank = pair.partner"
            " WHERE a.place BETWEEN ?2 AND ?3 AND b.place BETWEEN ?4 AND ?5"
            " GROUP BY 1, 2"
          : "WITH " PAIRS " SELECT (rank - ?2) / ?6 AS place,"
            " (partner - ?4) / ?6 AS partner_place, count(*) AS pairs, " FIGURES
            " FROM pair WHERE rank BETWEEN ?2 AND ?3"
            " AND partner BETWEEN ?4 AND ?5 GROUP BY 1, 2";
  const int64_t limits[] = {question->first, question->last, question->partner_first,
                            question->partner_last, question->step};
  if (prepare(question, sql, &rows) != 0) return -1;
  for (int i = 0; i < 5; i++)
    sqlite3_bind_int64(rows, i + 2, limits[i]);
  int result = sql_json_table(question->json, rows) == SQLITE_DONE
                   ? 0
                   : workspace_error(&question->view->workspace, question->error);
  sqlite3_finalize(rows);
  return result;
}

/* The rows, or columns, that are asked for, within what there is. */
static void take_range(const struct parameters *parameters, const char *from, const char *to,
                       int64_t size, int64_t *first, int64_t *last) {
  int64_t most = size ? size - 1 : 0;
  *last = parameters_number(parameters, to, most, most);
  *first = parameters_number(parameters, from, *last, 0);
}

static int write_matrix(struct question *question, const struct parameters *parameters) {
  if (measure(question) != 0) return -1;
  int64_t cells = parameters_number(parameters, "cells", MATRIX_CELLS, MATRIX_CELLS);
  take_range(parameters, "from", "to", question->size, &question->first, &question->last);
  take_range(parameters, "partner_from", "partner_to", question->size, &question->partner_first,
             &question->partner_last);
  int64_t rows = question->last - question->first + 1,
          columns = question->partner_last - question->partner_first + 1,
          most = rows > columns ? rows : columns;
  question->step = cells ? (most + cells - 1) / cells : most;
  json_integer(question->json, "size", question->size);
  json_integer(question->json, "step", question->step);
  json_integer(question->json, "first", question->first);
  json_integer(question->json, "partner_first", question->partner_first);
  json_integer(question->json, "rows_shown", rows);
  json_integer(question->json, "columns_shown", columns);
  if (question->by_nodes && write_nodes(question) != 0) return -1;
  return write_cells(question);
}

int message_pairs_answer(struct view *view, const struct parameters *parameters, FILE *out,
                         struct error *error) {
  struct json json = {.out = out, .first = true};
  const char *by = parameters_text(parameters, "by");
  struct question question = {.view = view,
                              .job = parameters_text(parameters, "job"),
                              .by_nodes = by && strcmp(by, "nodes") == 0,
                              .json = &json,
                              .error = error};
  char *first = NULL;
  json_open(&json, NULL, '{');
  int result = write_jobs(&question, &first);
  if (!question.job) question.job = first;
  if (result == 0) {
    if (question.job)
      json_text(&json, "job", question.job);
    else
      json_null(&json, "job");
    result = write_matrix(&question, parameters);
  }
  json_close(&json, '}');
  free(first);
  return result;
}
