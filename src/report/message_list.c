#include "report/message_list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "recording/mpi_calls.h"

enum {
  KINDS = MPI_CALL_FILE + 1,
  RANKS_SHOWN = 12,
  CALLS_SHOWN = 20,
  MATRIX_RANKS = 12,
  PAIRS = 20
};

static const char *bytes_text(uint64_t bytes, char text[DURATION_BYTES]) {
  return bytes ? quantity_short_text("bytes", (double)bytes, text) : strcpy(text, "-");
}

static void title(const struct listing *listing, const char *text) {
  fputc('\n', listing->out);
  listing_bold(listing);
  fprintf(listing->out, "%s\n", text);
  listing_plain(listing);
}

static void heading(const struct listing *listing, const char *text) {
  listing_dim(listing);
  fputs(text, listing->out);
  listing_plain(listing);
}

static size_t limit_or(const struct listing *listing, size_t usual) {
  return listing->model->options->limit ? listing->model->options->limit : usual;
}

/* ---- by process ---- */

struct process_messages {
  uint32_t process;
  bool present;
  uint64_t calls, ns[KINDS], sent_bytes, received_bytes;
};

/* `kinds`: how many have a column; MPI_CALL_FILE comes last. */
static void print_process(const struct listing *listing, const struct process_messages *sums,
                          int kinds) {
  const struct profile_process *process = &listing->model->profile->processes[sums->process];
  char sent[DURATION_BYTES], received[DURATION_BYTES];
  if (process->rank_number)
    fprintf(listing->out, "%5" PRIu32, process->rank_number - 1);
  else
    fprintf(listing->out, "%5s", "-");
  fprintf(listing->out, "%13" PRIu64, sums->calls);
  for (int kind = 0; kind < kinds; kind++)
    text_time(listing->out, listing->unit, sums->ns[kind], 11);
  fprintf(listing->out, "%12s%12s\n", bytes_text(sums->sent_bytes, sent),
          bytes_text(sums->received_bytes, received));
}

static int by_rank(const void *left, const void *right, void *profile) {
  const struct profile_process *processes = ((const struct profile *)profile)->processes;
  uint32_t a = ((const struct process_messages *)left)->process;
  uint32_t b = ((const struct process_messages *)right)->process;
  uint32_t first = processes[a].rank_number, second = processes[b].rank_number;
  if (first != second) return first < second ? -1 : 1;
  return (a > b) - (a < b);
}

static void print_processes(const struct listing *listing) {
  const struct profile *profile = listing->model->profile;
  struct process_messages *sums = memory_zeroed(profile->process_count, sizeof *sums);
  size_t count = 0, limit = limit_or(listing, RANKS_SHOWN);
  int kinds = MPI_CALL_FILE;
  for (size_t i = 0; i < profile->message_count; i++) {
    const struct profile_message *message = &profile->messages[i];
    struct process_messages *sum = &sums[message->process];
    sum->present = true;
    sum->process = message->process;
    sum->calls += message->calls;
    sum->ns[message->kind] += message->elapsed_ns;
    if (message->kind == MPI_CALL_FILE) {
      kinds = KINDS;
      continue;
    }
    sum->sent_bytes += message->sent_bytes;
    sum->received_bytes += message->received_bytes;
  }
  for (size_t i = 0; i < profile->process_count; i++)
    if (sums[i].present) sums[count++] = sums[i];
  qsort_r(sums, count, sizeof *sums, by_rank, (void *)profile);
  title(listing, "Calls of MPI, and how long ranks were in them");
  heading(listing, " rank        calls   transfer    waiting collective      other");
  heading(listing,
          kinds == KINDS ? "      files        sent    received\n" : "        sent    received\n");
  heading(listing, "                    ");
  listing_dim(listing);
  for (int kind = 0; kind < kinds; kind++)
    fprintf(listing->out, "%*s", kind ? 11 : 9, listing->unit.name);
  fputc('\n', listing->out);
  listing_plain(listing);
  for (size_t i = 0; i < count && i < limit; i++)
    print_process(listing, &sums[i], kinds);
  if (count > limit) fprintf(listing->out, "%zu more (--limit all)\n", count - limit);
  free(sums);
}

/* ---- by call site ---- */

static int by_site(const void *left, const void *right) {
  const struct profile_message *a = left, *b = right;
  if (a->line != b->line) return a->line < b->line ? -1 : 1;
  return strcmp(a->call, b->call);
}

static int by_time(const void *left, const void *right) {
  const struct profile_message *a = left, *b = right;
  if (a->elapsed_ns != b->elapsed_ns) return a->elapsed_ns > b->elapsed_ns ? -1 : 1;
  return by_site(a, b);
}

static void print_line(const struct listing *listing, uint32_t number, int name_width) {
  if (number == NOTHING) {
    fputc('-', listing->out);
    return;
  }
  const struct profile_line *line = &listing->model->profile->lines[number];
  listing_name(listing, line->function, name_width);
  if (!line->file || !line->line) return;
  fputc(' ', listing->out);
  listing_path(listing, line->file, 0);
  fprintf(listing->out, ":%" PRIu32, line->line);
}

static void print_site(const struct listing *listing, const struct profile_message *site,
                       int call_width) {
  char least[DURATION_BYTES];
  char sent[DURATION_BYTES], received[DURATION_BYTES];
  text_time(listing->out, listing->unit, site->elapsed_ns, 10);
  fprintf(listing->out, "%10s",
          site->least_ns ? duration_text((double)site->least_ns, least) : "-");
  fprintf(listing->out, "%13" PRIu64 "%12s%12s  %-*s ", site->calls,
          bytes_text(site->sent_bytes, sent), bytes_text(site->received_bytes, received),
          call_width, site->call);
  print_line(listing, site->line, listing_name_width(listing, 84 + (size_t)call_width));
  fputc('\n', listing->out);
}

static void print_sites(const struct listing *listing) {
  const struct profile *profile = listing->model->profile;
  size_t count = 0, limit = limit_or(listing, CALLS_SHOWN);
  struct profile_message *sites = memory_zeroed(profile->message_count, sizeof *sites);
  memcpy(sites, profile->messages, profile->message_count * sizeof *sites);
  qsort(sites, profile->message_count, sizeof *sites, by_site);
  for (size_t i = 0; i < profile->message_count; i++) {
    if (!count || by_site(&sites[count - 1], &sites[i]) != 0) {
      sites[count++] = sites[i];
      continue;
    }
    struct profile_message *sum = &sites[count - 1];
    sum->calls += sites[i].calls;
    sum->sent_bytes += sites[i].sent_bytes;
    sum->received_bytes += sites[i].received_bytes;
    sum->elapsed_ns += sites[i].elapsed_ns;
    sum->least_ns = message_least(sum->least_ns, sites[i].least_ns);
  }
  qsort(sites, count, sizeof *sites, by_time);
  int call_width = 16;
  for (size_t i = 0; i < count && i < limit; i++)
    if (strlen(sites[i].call) > (size_t)call_width) call_width = (int)strlen(sites[i].call);
  title(listing, "Where MPI is called, all ranks together");
  listing_dim(listing);
  fprintf(listing->out,
          "      time   fastest        calls        sent    received  %-*s from\n"
          "   %7s\n",
          call_width, "call", listing->unit.name);
  listing_plain(listing);
  for (size_t i = 0; i < count && i < limit; i++)
    print_site(listing, &sites[i], call_width);
  if (count > limit) fprintf(listing->out, "%zu more (--limit all)\n", count - limit);
  free(sites);
}

/* ---- who sends to whom, and who waits for whom ---- */

struct pair {
  uint32_t rank, partner;
  uint64_t sent, bytes, ns; /* of the rank */
  uint64_t late_ns;         /* it waited because calls of the partner began later */
};

static int by_ranks(const void *left, const void *right) {
  const struct pair *a = left, *b = right;
  if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
  return (a->partner > b->partner) - (a->partner < b->partner);
}

static int by_bytes(const void *left, const void *right) {
  const struct pair *a = left, *b = right;
  if (a->bytes != b->bytes) return a->bytes > b->bytes ? -1 : 1;
  return by_ranks(a, b);
}

static int by_late(const void *left, const void *right) {
  const struct pair *a = left, *b = right;
  if (a->late_ns != b->late_ns) return a->late_ns > b->late_ns ? -1 : 1;
  return by_ranks(a, b);
}

static int by_ns(const void *left, const void *right) {
  const struct pair *a = left, *b = right;
  if (a->ns != b->ns) return a->ns > b->ns ? -1 : 1;
  return by_ranks(a, b);
}

static struct pair *find_pairs(const struct profile *profile, size_t *count) {
  size_t most = 2 * profile->message_count + profile->message_delay_count, all = 0;
  struct pair *pairs = memory_zeroed(most + 1, sizeof *pairs);
  for (size_t i = 0; i < profile->message_count; i++) {
    const struct profile_message *message = &profile->messages[i];
    uint32_t rank = profile->processes[message->process].rank_number;
    if (!message->partner || !rank) continue;
    pairs[all++] = (struct pair){
        rank - 1, message->partner - 1, message->sent, message->sent_bytes, message->elapsed_ns, 0};
    if (message->received_bytes &&
        !message->received) /* fetched: the partner does not tell of it */
      pairs[all++] =
          (struct pair){message->partner - 1, rank - 1, 0, message->received_bytes, 0, 0};
  }
  for (size_t i = 0; i < profile->message_delay_count; i++) {
    const struct profile_message_delay *delay = &profile->message_delays[i];
    uint32_t rank = profile->processes[delay->process].rank_number;
    if (delay->partner && rank)
      pairs[all++] = (struct pair){rank - 1, delay->partner - 1, 0, 0, 0, delay->late_ns};
  }
  if (all) qsort(pairs, all, sizeof *pairs, by_ranks);
  *count = 0;
  for (size_t i = 0; i < all; i++) {
    if (!*count || by_ranks(&pairs[*count - 1], &pairs[i]) != 0) {
      pairs[(*count)++] = pairs[i];
      continue;
    }
    pairs[*count - 1].sent += pairs[i].sent;
    pairs[*count - 1].bytes += pairs[i].bytes;
    pairs[*count - 1].ns += pairs[i].ns;
    pairs[*count - 1].late_ns += pairs[i].late_ns;
  }
  return pairs;
}

enum figure { FIGURE_BYTES, FIGURE_TIME, FIGURE_LATE, FIGURES };

static uint64_t figure_of(const struct pair *pair, enum figure figure) {
  return figure == FIGURE_BYTES ? pair->bytes : figure == FIGURE_TIME ? pair->ns : pair->late_ns;
}

static void print_figure(const struct listing *listing, const struct pair *pair,
                         enum figure figure) {
  char text[DURATION_BYTES];
  uint64_t value = figure_of(pair, figure);
  if (figure != FIGURE_BYTES && value)
    text_time(listing->out, listing->unit, value, 10);
  else
    fprintf(listing->out, "%10s", bytes_text(value, text));
}

static void print_matrix(const struct listing *listing, const struct pair *pairs, size_t count,
                         uint32_t ranks, enum figure figure) {
  size_t next = 0;
  listing_dim(listing);
  fputs(figure == FIGURE_BYTES ? " from to" : " rank in", listing->out);
  for (uint32_t to = 0; to < ranks; to++)
    fprintf(listing->out, "%*" PRIu32, to ? 10 : 7, to);
  fputc('\n', listing->out);
  listing_plain(listing);
  for (uint32_t from = 0; from < ranks; from++) {
    fprintf(listing->out, "%5" PRIu32, from);
    for (uint32_t to = 0; to < ranks; to++) {
      bool is_next = next < count && pairs[next].rank == from && pairs[next].partner == to;
      print_figure(listing, is_next ? &pairs[next] : &(struct pair){0}, figure);
      next += is_next;
    }
    fputc('\n', listing->out);
  }
}

static void print_pairs(const struct listing *listing, struct pair *pairs, size_t count,
                        enum figure figure) {
  static int (*const orders[])(const void *, const void *) = {
      [FIGURE_BYTES] = by_bytes, [FIGURE_TIME] = by_ns, [FIGURE_LATE] = by_late};
  size_t limit = limit_or(listing, PAIRS);
  qsort(pairs, count, sizeof *pairs, orders[figure]);
  listing_dim(listing);
  fprintf(listing->out, " rank  partner    messages     bytes%10s\n", listing->unit.name);
  listing_plain(listing);
  for (size_t i = 0; i < count && i < limit; i++) {
    fprintf(listing->out, "%5" PRIu32 "%9" PRIu32 "%12" PRIu64, pairs[i].rank, pairs[i].partner,
            pairs[i].sent);
    print_figure(listing, &pairs[i], FIGURE_BYTES);
    print_figure(listing, &pairs[i], figure == FIGURE_LATE ? FIGURE_LATE : FIGURE_TIME);
    fputc('\n', listing->out);
  }
  if (count > limit) fprintf(listing->out, "%zu more (--limit all)\n", count - limit);
}

static bool is_one_job(const struct profile *profile) {
  const char *first = profile->process_count ? profile->processes[0].job : NULL;
  for (size_t i = 0; i < profile->process_count; i++)
    if (profile->processes[i].job != first) return false;
  return true;
}

static uint32_t count_ranks(const struct pair *pairs, size_t count) {
  uint32_t ranks = 0;
  for (size_t i = 0; i < count; i++) {
    if (pairs[i].rank >= ranks) ranks = pairs[i].rank + 1;
    if (pairs[i].partner >= ranks) ranks = pairs[i].partner + 1;
  }
  return ranks;
}

static bool any_has(const struct pair *pairs, size_t count, enum figure figure) {
  for (size_t i = 0; i < count; i++)
    if (figure_of(&pairs[i], figure)) return true;
  return false;
}

static void print_partners(const struct listing *listing) {
  static const char *const titles[] = {
      [FIGURE_BYTES] = "Who sends how many bytes to whom, without collective calls",
      [FIGURE_TIME] = "How long ranks were in calls with one partner",
      [FIGURE_LATE] = "How long ranks waited for partners that came late"};
  const struct profile *profile = listing->model->profile;
  size_t count;
  struct pair *pairs = find_pairs(profile, &count);
  uint32_t ranks = count_ranks(pairs, count);
  bool is_one = is_one_job(profile);
  for (enum figure figure = FIGURE_BYTES; count && figure < FIGURES; figure++) {
    if (!any_has(pairs, count, figure)) continue;
    if (!is_one && figure != FIGURE_BYTES) break;
    title(listing, titles[figure]);
    if (!is_one)
      fputs("The ranks are of several jobs, so no matrix is shown; --json has one for each "
            "(message_matrix)\n",
            listing->out);
    else if (ranks <= MATRIX_RANKS)
      print_matrix(listing, pairs, count, ranks, figure);
    else
      print_pairs(listing, pairs, count, figure);
  }
  free(pairs);
}

/* ---- who came late ---- */

static int by_lines(const void *left, const void *right) {
  const struct profile_message_delay *a = left, *b = right;
  if (a->line != b->line) return a->line < b->line ? -1 : 1;
  if (a->partner_line != b->partner_line) return a->partner_line < b->partner_line ? -1 : 1;
  if (a->late_end != b->late_end) return a->late_end < b->late_end ? -1 : 1;
  int order = strcmp(a->call, b->call);
  return order ? order : strcmp(a->partner_call, b->partner_call);
}

static int by_lateness(const void *left, const void *right) {
  const struct profile_message_delay *a = left, *b = right;
  if (a->late_ns != b->late_ns) return a->late_ns > b->late_ns ? -1 : 1;
  return by_lines(a, b);
}

/* All ranks together, those without delays left out. The array is the caller's. */
static struct profile_message_delay *sum_delays(const struct profile *profile, size_t *count) {
  size_t all = profile->message_delay_count;
  struct profile_message_delay *sums = memory_zeroed(all + 1, sizeof *sums);
  memcpy(sums, profile->message_delays, all * sizeof *sums);
  qsort(sums, all, sizeof *sums, by_lines);
  *count = 0;
  for (size_t i = 0; i < all; i++) {
    if (!*count || by_lines(&sums[*count - 1], &sums[i]) != 0) {
      sums[(*count)++] = sums[i];
      continue;
    }
    struct profile_message_delay *sum = &sums[*count - 1];
    sum->messages += sums[i].messages;
    sum->late += sums[i].late;
    sum->late_ns += sums[i].late_ns;
    sum->late_uncertainty_ns += sums[i].late_uncertainty_ns;
    if (sums[i].most_ns > sum->most_ns) sum->most_ns = sums[i].most_ns;
  }
  qsort(sums, *count, sizeof *sums, by_lateness);
  while (*count && !sums[*count - 1].late)
    --*count;
  return sums;
}

static void print_delay(const struct listing *listing, const struct profile_message_delay *delay,
                        bool uncertain) {
  static const char *const late_ends[] = {
      [LATE_SENDER] = "sender", [LATE_RECEIVER] = "receiver", [LATE_IN_COLLECTIVE] = "collective"};
  char most[DURATION_BYTES];
  text_time(listing->out, listing->unit, delay->late_ns, 10);
  if (uncertain) text_time(listing->out, listing->unit, delay->late_uncertainty_ns, 10);
  fprintf(listing->out, "%10s%10" PRIu64 "%10" PRIu64 "  %-10s  %s ",
          duration_text((double)delay->most_ns, most), delay->late, delay->messages,
          late_ends[delay->late_end], delay->call);
  int width = listing_name_width(listing, 130) / 2;
  print_line(listing, delay->line, width);
  fprintf(listing->out, " for %s ", delay->partner_call);
  print_line(listing, delay->partner_line, width);
  fputc('\n', listing->out);
}

/* Which messages and collective calls the figures leave out, and why. */
static void print_coverage(const struct listing *listing) {
  const struct profile *profile = listing->model->profile;
  struct {
    uint64_t known, unrelated;
  } ends[LATE_IN_COLLECTIVE + 1] = {0};
  uint64_t received = 0, uncertainty = 0;
  char text[DURATION_BYTES];
  for (size_t i = 0; i < profile->message_count; i++)
    received += profile->messages[i].received;
  for (size_t i = 0; i < profile->message_delay_count; i++) {
    const struct profile_message_delay *delay = &profile->message_delays[i];
    ends[delay->late_end].known += delay->messages;
    ends[delay->late_end].unrelated += delay->unrelated;
    if (delay->clock_uncertainty_ns > uncertainty) uncertainty = delay->clock_uncertainty_ns;
  }
  uint64_t known = ends[LATE_SENDER].known, unrelated = ends[LATE_SENDER].unrelated;
  uint64_t unordered = ends[LATE_IN_COLLECTIVE].unrelated;
  if (received)
    fprintf(listing->out, "Both ends are known of %" PRIu64 " of %" PRIu64 " messages received.\n",
            known, received);
  if (known < received)
    fputs("The rest could not be matched: what is below leaves them out. They came after the first "
          "messages of a rank, which alone are kept, or after a call that failed, or are "
          "partitioned, or the other rank is not in this profile.\n",
          listing->out);
  if (unrelated)
    fprintf(listing->out,
            "%" PRIu64 " of them are between machines whose clocks cannot be compared: these do "
            "not send to each other in both directions, nor over others, and make no "
            "collective call together that waits for all.\n",
            unrelated);
  if (unordered)
    fprintf(listing->out,
            "Who came last is unknown for %" PRIu64 " of %" PRIu64
            " waits in collective calls: clocks of the machines cannot be compared.\n",
            unordered, ends[LATE_IN_COLLECTIVE].known);
  if (uncertainty)
    fprintf(listing->out,
            "Clocks of machines were compared by their messages and collective calls, to within "
            "%s at worst; shorter waits are not counted.\n",
            duration_text((double)uncertainty, text));
}

static void print_delays(const struct listing *listing) {
  const struct profile *profile = listing->model->profile;
  if (!profile->message_delay_count) return;
  size_t count, limit = limit_or(listing, CALLS_SHOWN);
  struct profile_message_delay *sums = sum_delays(profile, &count);
  bool uncertain = false;
  for (size_t i = 0; i < count; i++)
    uncertain |= sums[i].late_uncertainty_ns > 0;
  title(listing, "Late senders, late receivers, late in collective calls: how long calls of MPI "
                 "waited for them");
  print_coverage(listing);
  listing_dim(listing);
  if (count)
    fprintf(listing->out,
            "      time%s   longest      late  messages  late        waits in\n   %7s\n",
            uncertain ? "        +-" : "", listing->unit.name);
  listing_plain(listing);
  for (size_t i = 0; i < count && i < limit; i++)
    print_delay(listing, &sums[i], uncertain);
  if (count > limit) fprintf(listing->out, "%zu more (--limit all)\n", count - limit);
  free(sums);
}

/* The unit of times in this section, whatever the unit of the report's metric is. */
static struct time_unit unit_of_calls(const struct profile *profile) {
  uint64_t whole_ns = 0;
  for (size_t i = 0; i < profile->message_count; i++)
    whole_ns += profile->messages[i].elapsed_ns;
  return time_unit_for(whole_ns);
}

void listing_messages(const struct listing *listing) {
  const struct profile *profile = listing->model->profile;
  if (!profile->message_count) return;
  struct listing of_calls = *listing;
  of_calls.unit = unit_of_calls(profile);
  print_processes(&of_calls);
  print_sites(&of_calls);
  print_delays(&of_calls);
  print_partners(&of_calls);
}
