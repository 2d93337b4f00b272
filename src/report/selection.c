/* What a report is restricted to. */

#include "attribution/process_groups.h"
#include "report/listing.h"

enum { NAMED = 4 }; /* of the functions of --focus */

static void print_focus(const struct listing *listing) {
  const struct selection *selection = &listing->model->options->selection;
  for (size_t i = 0; i < selection->focus_count && i < NAMED; i++) {
    fputs(i ? ", " : "while active: ", listing->out);
    listing_name(listing, selection->focus[i], 0);
  }
  if (selection->focus_count > NAMED)
    fprintf(listing->out, " or one of %zu more", selection->focus_count - NAMED);
}

static void print_processes(const struct listing *listing) {
  const struct profile *profile = listing->model->profile;
  const bool *selected = listing->model->options->selection.processes;
  size_t count = 0, last = 0;
  for (size_t i = 0; i < profile->process_count; i++) {
    if (!selected[i]) continue;
    count++;
    last = i;
  }
  struct pool *pool = pool_create();
  if (count == 1)
    fprintf(listing->out, "process %u of ", profile->processes[last].pid);
  else
    fprintf(listing->out, "%zu processes of ", count);
  text_name(listing->out, process_name(profile, last, pool), 0);
  pool_free(pool);
}

/* An imported file may only give the number. */
static void print_thread(const struct listing *listing) {
  uint32_t id = listing->model->options->selection.thread;
  const struct profile_thread *thread = &listing->model->profile->threads[id];
  fprintf(listing->out, "thread %u", id + 1);
  if (!thread->tid && !thread->name[0]) return;
  fprintf(listing->out, " (%u ", thread->tid);
  text_name(listing->out, thread->name, 0);
  fputc(')', listing->out);
}

void listing_selection(const struct listing *listing) {
  const struct selection *selection = &listing->model->options->selection;
  char text[QUANTITY_ESTIMATE_BYTES], whole[QUANTITY_BYTES];
  print_focus(listing);
  if (selection->focus_count && selection->processes) fputs("; ", listing->out);
  if (selection->processes) print_processes(listing);
  if ((selection->focus_count || selection->processes) && selection->thread != NOTHING)
    fputs("; ", listing->out);
  if (selection->thread != NOTHING) print_thread(listing);
  fprintf(listing->out, ": %s; %% is of the whole, %s\n",
          quantity_estimate_text(model_unit(listing->model),
                                 model_estimate(listing->model, listing->model->costs->self), text),
          quantity_text(model_unit(listing->model), books_whole_ns(&listing->model->books), whole));
}
