#include "attribution/counts/line_executions.h"

#include <stdlib.h>

#include "base/memory.h"

enum { STEPS_MOST = 4096 }; /* a damaged description must not take all time */

/* ---- rounds: circles of steps ---- */

/* A search along steps that still have executions, without recursion: `way` holds the steps from
 * the place where it began to the place at hand. */
struct search {
  const struct counted_line *line;
  uint64_t *left;     /* by step: its executions that are in no circle yet */
  uint32_t *first;    /* by place: its first step in `by_place`; one more at the end */
  uint32_t *by_place; /* steps, by the place that they lead from */
  uint32_t *next;     /* by place: the next of these to be tried */
  uint8_t *state;     /* by place */
  uint32_t *way;
  uint32_t length;
};
enum { NOT_MET, ON_WAY, LEADS_NOWHERE };

static void sort_steps(struct search *search) {
  const struct counted_line *line = search->line;
  for (uint32_t i = 0; i < line->step_count; i++)
    search->first[line->steps[i].from + 1]++;
  for (uint32_t place = 0; place < line->place_count; place++)
    search->first[place + 1] += search->first[place];
  for (uint32_t place = 0; place < line->place_count; place++)
    search->next[place] = search->first[place];
  for (uint32_t i = 0; i < line->step_count; i++)
    search->by_place[search->next[line->steps[i].from]++] = i;
  for (uint32_t place = 0; place < line->place_count; place++)
    search->next[place] = search->first[place];
}

/* Takes the circle that the last step of the way closes: as often as its rarest step was left.
 * The way ends before the first step that is used up then. */
static uint64_t take_circle(struct search *search) {
  const struct counted_step *steps = search->line->steps;
  uint32_t begin = search->length - 1, at = steps[search->way[begin]].to;
  uint64_t rounds = search->left[search->way[begin]];
  while (steps[search->way[begin]].from != at) {
    begin--;
    if (search->left[search->way[begin]] < rounds) rounds = search->left[search->way[begin]];
  }
  uint32_t kept = search->length;
  for (uint32_t i = search->length; i-- > begin;) {
    search->left[search->way[i]] -= rounds;
    if (!search->left[search->way[i]]) kept = i;
  }
  for (uint32_t i = kept; i + 1 < search->length; i++)
    search->state[steps[search->way[i]].to] = NOT_MET;
  search->length = kept;
  return rounds;
}

/* One step on from the place at hand, or back. */
static uint64_t go_on(struct search *search, uint32_t start) {
  const struct counted_step *steps = search->line->steps;
  uint32_t at = search->length ? steps[search->way[search->length - 1]].to : start;
  search->state[at] = ON_WAY;
  if (search->next[at] == search->first[at + 1]) {
    search->state[at] = LEADS_NOWHERE;
    if (search->length) {
      search->length--;
      search->next[steps[search->way[search->length]].from]++;
    }
    return 0;
  }
  uint32_t step = search->by_place[search->next[at]], to = steps[step].to;
  if (!search->left[step] || search->state[to] == LEADS_NOWHERE) {
    search->next[at]++;
    return 0;
  }
  search->way[search->length++] = step;
  return search->state[to] == ON_WAY ? take_circle(search) : 0;
}

static uint64_t count_rounds(const struct counted_line *line, const struct counter_flow *flows) {
  if (!line->step_count || line->step_count > STEPS_MOST) return 0;
  uint32_t places = line->place_count, steps = line->step_count;
  struct search search = {.line = line,
                          .left = memory_zeroed(steps, sizeof *search.left),
                          .first = memory_zeroed(places + 1, sizeof *search.first),
                          .by_place = memory_zeroed(steps, sizeof *search.by_place),
                          .next = memory_zeroed(places, sizeof *search.next),
                          .state = memory_zeroed(places, sizeof *search.state),
                          .way = memory_zeroed(steps + 1, sizeof *search.way)};
  uint64_t rounds = 0;
  sort_steps(&search);
  for (uint32_t i = 0; i < steps; i++)
    search.left[i] = flows[line->steps[i].flow].times;
  for (uint32_t start = 0; start < places; start++)
    while (search.state[start] != LEADS_NOWHERE)
      rounds += go_on(&search, start);
  free(search.left);
  free(search.first);
  free(search.by_place);
  free(search.next);
  free(search.state);
  free(search.way);
  return rounds;
}

/* ---- the line ---- */

bool line_executions(const struct counted_line *line, const struct counter_flow *flows,
                     uint64_t *count) {
  uint64_t passes = 0, from_itself = 0;
  for (uint32_t i = 0; i < line->place_count; i++) {
    if (!flows[line->places[i]].known) return false;
    passes += flows[line->places[i]].times;
  }
  for (uint32_t i = 0; i < line->step_count; i++) {
    if (!flows[line->steps[i].flow].known) return false;
    from_itself += flows[line->steps[i].flow].times;
  }
  uint64_t entered = passes > from_itself ? passes - from_itself : 0;
  *count = entered + count_rounds(line, flows);
  return true;
}
