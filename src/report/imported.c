/* The head of a report on figures that another tool made: what they are, and what is not known. */
#include <inttypes.h>

#include "attribution/equations/possible_calls.h"
#include "report/listing.h"

static void print_text(const struct listing *listing, const char *name, const char *text) {
  if (!text || !text[0]) return;
  listing_label(listing, name);
  text_name(listing->out, text, 0);
  fputc('\n', listing->out);
}

static void print_origin(const struct listing *listing) {
  const struct profile *profile = listing->model->profile;
  char date[DATE_BYTES];
  listing_label(listing, "imported");
  fprintf(listing->out, "from %s, %zu process%s, %zu thread%s", profile->origin.format,
          profile->process_count, profile->process_count == 1 ? "" : "es", profile->thread_count,
          profile->thread_count == 1 ? "" : "s");
  if (listing->model->run.started_ns && !profile->run_count)
    fprintf(listing->out, ", recorded %s", date_text(listing->model->run.started_ns, date));
  fputc('\n', listing->out);
}

static void print_measured(const struct listing *listing) {
  const struct profile_metric *metric = profile_metric(listing->model->profile);
  const struct books *books = &listing->model->books;
  char whole[QUANTITY_BYTES];
  if (!books->sampled_ns && listing->model->profile->expression_count) return; /* counts only */
  listing_label(listing, "measured");
  text_name(listing->out, metric->name, 0);
  fprintf(listing->out, ": %s", quantity_text(metric->unit, books->sampled_ns, whole));
  if (metric->evidence == EVIDENCE_COUNTED) fputs(", counted", listing->out);
  if (metric->evidence == EVIDENCE_TICKS)
    fprintf(listing->out, " in %" PRIu64 " sample%s", books->all.ticks,
            books->all.ticks == 1 ? "" : "s");
  if (metric->evidence == EVIDENCE_UNKNOWN)
    fputs("; the file does not say how many samples, so the uncertainty is unknown", listing->out);
  fputc('\n', listing->out);
}

static void print_calls(const struct listing *listing) {
  listing_label(listing, "calls");
  if (listing->model->books.calls)
    fprintf(listing->out, "%" PRIu64 ", as the file gives them\n", listing->model->books.calls);
  else
    fputs("not counted\n", listing->out);
}

void listing_equations(const struct listing *listing) {
  const struct profile *profile = listing->model->profile;
  size_t exact = 0, all = 0;
  if (!profile->possible_call_count) return;
  for (size_t i = 0; i < profile->possible_call_count; i++) {
    const struct profile_possible_call *call = &profile->possible_calls[i];
    all += call->site != NOTHING;
    exact += call->site != NOTHING && call->least == call->most;
  }
  listing_label(listing, "callers");
  fprintf(listing->out, "solved from the call graph: %zu of %zu possible calls are exact", exact,
          all);
  if (exact < all) fputs("; others (~) are estimates, with least and most", listing->out);
  fputc('\n', listing->out);
  uint32_t odd = possible_calls_contradictions(profile);
  if (!odd) return;
  listing_label(listing, "");
  fprintf(listing->out, "%" PRIu32 " function%s entered more often than the call sites allow\n",
          odd, odd == 1 ? " was" : "s were");
}

void listing_imported_head(const struct listing *listing) {
  print_text(listing, "command", listing->model->run.command);
  print_origin(listing);
  if (listing->model->profile->run_count) {
    listing_label(listing, "runs");
    listing_merged_head(listing);
  }
  print_measured(listing);
  listing_other_metrics(listing);
  print_calls(listing);
  listing_equations(listing);
  listing_coverage(listing);
  print_text(listing, "left out", listing->model->profile->origin.note);
  if (model_is_part(listing->model)) {
    listing_label(listing, "only");
    listing_selection(listing);
  }
}
