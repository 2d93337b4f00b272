#include "view/view_pool.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "store/database.h"
#include "view/live.h"
#include "view/shown.h"

/* Each may keep 48 MB of columns and the trees of its profiles. */
enum { MOST_VIEWS = 6 };

/* So long a question waits for a busy view, which has read much of what it needs, before another is
 * opened; and so often it asks whether somebody waits for it. */
enum { PATIENCE_NS = 200000000, LOOK_NS = 50000000 };

enum pooled_state { POOLED_NONE, POOLED_OPENING, POOLED_IDLE, POOLED_BUSY };

struct pooled {
  enum pooled_state state;
  struct view view;
  const struct view *first; /* of which it is another view */
  char *key;                /* of what it shows */
  unsigned generation;      /* of the choices that it was opened with */
  uint64_t used;            /* the time of its last question */
  uint64_t known;           /* questions that it has answered, by subject_of */
};

struct view_pool {
  const struct view *first;
  char *metric;                   /* the one that `first` shows; null: not known */
  pthread_mutex_t lock, choosing; /* `choosing` is taken first */
  pthread_cond_t returned;
  unsigned generation; /* of choices: views of older ones are closed */
  struct pooled of[MOST_VIEWS];
};

/* Pages name the metric that is shown without their asking, too. */
static char *first_metric(struct view *first) {
  sqlite3_stmt *row = NULL;
  struct error ignored;
  char *name = NULL;
  if (workspace_prepare(&first->workspace, &row, &ignored,
                        "SELECT name FROM p1.metrics WHERE id = 1") != 0)
    return NULL;
  if (sqlite3_step(row) == SQLITE_ROW && sqlite3_column_text(row, 0))
    name = memory_text((const char *)sqlite3_column_text(row, 0));
  sqlite3_finalize(row);
  return name;
}

struct view_pool *view_pool_open(struct view *first) {
  struct view_pool *pool = memory_zeroed(1, sizeof *pool);
  pthread_condattr_t clock;
  pool->first = first;
  pool->metric = first_metric(first);
  pthread_mutex_init(&pool->lock, NULL);
  pthread_mutex_init(&pool->choosing, NULL);
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_cond_init(&pool->returned, &clock);
  pthread_condattr_destroy(&clock);
  return pool;
}

/* `lock` is not needed: nobody else has it. */
static void close_pooled(struct pooled *pooled) {
  view_close(&pooled->view);
  free(pooled->key);
  pooled->key = NULL;
  pooled->known = 0;
}

void view_pool_close(struct view_pool *pool) {
  for (size_t i = 0; i < MOST_VIEWS; i++)
    if (pool->of[i].state != POOLED_NONE) close_pooled(&pool->of[i]);
  pthread_cond_destroy(&pool->returned);
  pthread_mutex_destroy(&pool->choosing);
  pthread_mutex_destroy(&pool->lock);
  free(pool->metric);
  free(pool);
}

/* ---- what runs ---- */

static bool is_past(const struct view_pool *pool, const struct pooled *pooled) {
  return pooled->state != POOLED_NONE && pooled->first != pool->first;
}

static bool any_past(const struct view_pool *pool) {
  for (size_t i = 0; i < MOST_VIEWS; i++)
    if (is_past(pool, &pool->of[i])) return true;
  return false;
}

void view_pool_show(struct view_pool *pool, struct view *next) {
  char *metric = first_metric(next);
  pthread_mutex_lock(&pool->lock);
  for (size_t i = 0; i < MOST_VIEWS; i++) {
    if (pool->of[i].state != POOLED_IDLE) continue; /* busy ones: give_back */
    close_pooled(&pool->of[i]);
    pool->of[i].state = POOLED_NONE;
  }
  free(pool->metric);
  pool->metric = metric;
  pool->first = next;
  if (next->live) {
    next->turn = ++next->live->turn;
    next->live->wanted = false;
  }
  pthread_cond_broadcast(&pool->returned);
  pthread_mutex_unlock(&pool->lock);
}

void view_pool_await(struct view_pool *pool) {
  pthread_mutex_lock(&pool->lock);
  while (any_past(pool))
    pthread_cond_wait(&pool->returned, &pool->lock);
  pthread_mutex_unlock(&pool->lock);
}

int view_pool_change(struct view_pool *pool, int (*change)(struct view_live *live, void *context),
                     void *context) {
  pthread_mutex_lock(&pool->lock);
  int result = change(pool->first->live, context);
  pthread_mutex_unlock(&pool->lock);
  return result;
}

/* ---- a view for a question ---- */

struct search {
  struct view_pool *pool;
  const struct view_asker *asker;
  const char *key;
  uint64_t subject, until_ns; /* until then it waits for a busy view */
  bool chooses;               /* it changes what all views show of the profile */
};

/* Questions of one kind need the same tables and trees: a bit. */
static uint64_t subject_of(const char *name, const struct parameters *parameters) {
  const char *kind = parameters_text(parameters, "kind");
  uint64_t hash = 5381;
  for (const char *at = name; *at; at++)
    hash = hash * 33 + (unsigned char)*at;
  for (const char *at = kind ? kind : ""; *at; at++)
    hash = hash * 33 + (unsigned char)*at;
  return 1ull << hash % 64;
}

static bool is_of(const struct search *search, const struct pooled *pooled) {
  return pooled->state != POOLED_NONE && !is_past(search->pool, pooled) &&
         pooled->generation == search->pool->generation && strcmp(pooled->key, search->key) == 0;
}

/* An idle one that shows the same; rather one that knows such questions. `wait`: a busy one does,
 * or one is being opened. */
static struct pooled *find_idle(const struct search *search, bool *wait) {
  struct pooled *found = NULL;
  bool knows = false, busy_knows = false, any = false;
  *wait = false;
  for (size_t i = 0; i < MOST_VIEWS; i++) {
    struct pooled *one = &search->pool->of[i];
    if (!is_of(search, one)) continue;
    any = true;
    if (one->state == POOLED_OPENING) *wait = true;
    if (one->state == POOLED_BUSY) busy_knows |= (one->known & search->subject) != 0;
    if (one->state != POOLED_IDLE || knows) continue;
    knows = (one->known & search->subject) != 0;
    found = one;
  }
  bool patient = clock_ns(CLOCK_MONOTONIC) < search->until_ns;
  if (found && !knows && busy_knows && patient) found = NULL;
  *wait |= any && patient;
  return found;
}

/* A place for another view: an empty one, or that of the idle view which was asked longest ago. */
static struct pooled *find_place(struct view_pool *pool) {
  struct pooled *oldest = NULL;
  for (size_t i = 0; i < MOST_VIEWS; i++) {
    struct pooled *one = &pool->of[i];
    if (one->state == POOLED_NONE) return one;
    if (one->state == POOLED_IDLE && (!oldest || one->used < oldest->used)) oldest = one;
  }
  return oldest;
}

static void wait_a_little(struct view_pool *pool) {
  uint64_t until = clock_ns(CLOCK_MONOTONIC) + LOOK_NS;
  const struct timespec time = {(time_t)(until / 1000000000), (long)(until % 1000000000)};
  pthread_cond_timedwait(&pool->returned, &pool->lock, &time);
}

/* With `lock`, which is given up meanwhile. */
static int open_at(struct search *search, struct pooled *place, const struct shown *shown,
                   struct error *error) {
  struct view_pool *pool = search->pool;
  bool closes = place->state != POOLED_NONE;
  const struct view *first = pool->first;
  char *left = place->key;
  place->first = first;
  place->key = memory_text(search->key); /* others see what it will show */
  place->generation = pool->generation;
  place->state = POOLED_OPENING;
  place->known = 0;
  pthread_mutex_unlock(&pool->lock);
  if (closes) view_close(&place->view);
  free(left);
  int result = view_open_shown(&place->view, first, shown, error);
  pthread_mutex_lock(&pool->lock);
  place->state = POOLED_BUSY;
  if (result == 0) return 0;
  close_pooled(place);
  place->state = POOLED_NONE;
  pthread_cond_broadcast(&pool->returned);
  return -1;
}

/* With `lock`. Null with the error set. */
static struct pooled *take_view(struct search *search, const struct shown *shown,
                                struct error *error) {
  for (;;) {
    bool wait;
    if (search->asker->is_gone(search->asker->at)) {
      error_set(error, "nobody waits for the answer");
      return NULL;
    }
    struct pooled *found = find_idle(search, &wait);
    if (found) {
      found->state = POOLED_BUSY;
      return found;
    }
    struct pooled *place = wait ? NULL : find_place(search->pool);
    if (place) return open_at(search, place, shown, error) == 0 ? place : NULL;
    wait_a_little(search->pool);
  }
}

/* A choice changes the file that the other views were opened with. */
static void note_choice(struct view_pool *pool, struct pooled *pooled, bool done) {
  pool->generation++;
  if (done) pooled->generation = pool->generation;
}

/* With `lock`, which is given up meanwhile. */
static void give_back(struct search *search, struct pooled *pooled) {
  struct view_pool *pool = search->pool;
  pooled->used = clock_ns(CLOCK_MONOTONIC);
  pooled->known |= search->subject;
  if (is_past(pool, pooled)) {
    pthread_mutex_unlock(&pool->lock);
    close_pooled(pooled);
    pthread_mutex_lock(&pool->lock);
    pooled->state = POOLED_NONE;
  } else {
    pooled->state = POOLED_IDLE;
  }
  pthread_cond_broadcast(&pool->returned);
}

/* The answer of a view that was taken; nothing of a file that is another by now. */
static enum answer ask(struct pooled *pooled, const char *name, const struct parameters *parameters,
                       FILE *out, struct error *error) {
  const struct workspace *files = &pooled->first->workspace;
  if (workspace_check_files(files, error) != 0) return ANSWER_WRONG;
  enum answer given = view_answer(&pooled->view, name, parameters, out, error);
  return workspace_check_files(files, error) == 0 ? given : ANSWER_WRONG;
}

/* ---- answers ---- */

static enum answer answer(struct search *search, const struct shown *shown, const char *name,
                          const struct parameters *parameters, FILE *out, struct error *error) {
  struct view_pool *pool = search->pool;
  enum answer given = ANSWER_WRONG;
  database_ask_for(search->asker->is_gone, search->asker->at);
  pthread_mutex_lock(&pool->lock);
  struct pooled *pooled = take_view(search, shown, error);
  if (pooled && !live_is_of_turn(&pooled->view, parameters)) {
    give_back(search, pooled);
    pooled = NULL;
    given = ANSWER_PAST;
    error_set(error, "this page shows older figures: update it");
  }
  pthread_mutex_unlock(&pool->lock);
  if (pooled) {
    given = ask(pooled, name, parameters, out, error);
    pthread_mutex_lock(&pool->lock);
    if (search->chooses) note_choice(pool, pooled, given == ANSWER_GIVEN);
    give_back(search, pooled);
    pthread_mutex_unlock(&pool->lock);
  }
  database_ask_for(NULL, NULL);
  return given;
}

enum answer view_pool_answer(struct view_pool *pool, const struct view_asker *asker,
                             const char *name, const struct parameters *parameters, FILE *out,
                             struct error *error) {
  struct shown shown;
  shown_read(parameters, &shown);
  pthread_mutex_lock(&pool->lock);
  bool of_live = strcmp(name, "live") == 0;
  if (of_live) live_answer(pool->first, parameters, out);
  if (shown.metric && pool->metric && strcmp(shown.metric, pool->metric) == 0) shown.metric = NULL;
  pthread_mutex_unlock(&pool->lock);
  if (of_live) return ANSWER_GIVEN;
  char *key = shown_key(&shown);
  bool of_dial = strcmp(name, "dial") == 0;
  struct search search = {.pool = pool,
                          .asker = asker,
                          .key = key,
                          .subject = subject_of(name, parameters),
                          .until_ns = clock_ns(CLOCK_MONOTONIC) + PATIENCE_NS,
                          .chooses = of_dial && !parameters_number(parameters, "try", 1, 0)};
  if (of_dial) pthread_mutex_lock(&pool->choosing);
  enum answer given = answer(&search, &shown, name, parameters, out, error);
  if (of_dial) pthread_mutex_unlock(&pool->choosing);
  free(key);
  return given;
}
