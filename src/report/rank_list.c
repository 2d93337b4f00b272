#include "report/rank_list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "attribution/rank_groups.h"

enum { RANKS_SHOWN = 16 /* pieces, "3 to 7" among them */, NODES_SHOWN = 20, FUNCTION_WIDTH = 40 };

/* ---- numbers of ranks ---- */

/* As "0, 2 to 63": of the runs whose group has the number, in `order`. */
static void print_numbers(const struct listing *listing, const struct run_rank *ranks,
                          const uint32_t *order, const uint32_t *of_run, uint32_t number) {
  size_t count = listing->model->profile->run_count, pieces = 0;
  for (size_t i = 0; i < count; i++) {
    if (of_run[order[i]] != number || !ranks[order[i]].known) continue;
    if (++pieces > RANKS_SHOWN) {
      fputs(", ...", listing->out);
      return;
    }
    uint32_t first = ranks[order[i]].rank, last = first;
    while (i + 1 < count && of_run[order[i + 1]] == number &&
           ranks[order[i + 1]].rank == last + 1) {
      last++;
      i++;
    }
    fprintf(listing->out, "%s%" PRIu32, pieces > 1 ? ", " : "", first);
    if (last > first)
      fprintf(listing->out, last == first + 1 ? ", %" PRIu32 : " to %" PRIu32, last);
  }
}

/* ---- groups ---- */

static void print_difference(const struct listing *listing, const struct rank_group *group) {
  if (group->function == NO_RANK_FUNCTION) {
    fputs("  -", listing->out);
    return;
  }
  fprintf(listing->out, "%5.1f %% (others %4.1f %%) of ", 100 * group->share,
          100 * group->share_elsewhere);
  listing_name(listing, group->function, FUNCTION_WIDTH);
}

static void print_groups(const struct listing *listing, const struct run_rank *ranks,
                         const uint32_t *order, const struct rank_groups *groups) {
  listing_dim(listing);
  fprintf(listing->out,
          " group  ranks      self  what differs most in share of self time: which ranks\n"
          "              mean, %s\n",
          listing->unit.name);
  listing_plain(listing);
  for (uint32_t i = 0; i < groups->count; i++) {
    const struct rank_group *group = &groups->groups[i];
    fprintf(listing->out, "%6" PRIu32 "%7" PRIu32 "%10.*f", i + 1, group->runs,
            listing->unit.digits, group->mean_ns / listing->unit.ns);
    print_difference(listing, group);
    fputs(": rank ", listing->out);
    print_numbers(listing, ranks, order, groups->of_run, i);
    fputc('\n', listing->out);
  }
}

void listing_rank_groups(const struct listing *listing, const struct run_rank *ranks,
                         const uint32_t *order) {
  struct rank_groups groups;
  rank_groups_make(listing->model->profile, &groups);
  if (groups.count) {
    fputc('\n', listing->out);
    listing_bold(listing);
    fputs("Ranks that spend their time alike\n", listing->out);
    listing_plain(listing);
    if (groups.count == 1)
      fputs("All: shares of self time differ no more than sampling explains (99 %)\n",
            listing->out);
    else if (groups.differ_within)
      fprintf(
          listing->out,
          "%zu groups of similar shares of self time; within groups, too, shares differ by more\n"
          "than sampling explains (99 %%)\n",
          groups.count);
    else
      fputs("Within a group, shares of self time differ no more than sampling explains (99 %)\n",
            listing->out);
    if (groups.count > 1) print_groups(listing, ranks, order, &groups);
  }
  rank_groups_free(&groups);
}

/* ---- nodes ---- */

struct node {
  const char *host;
  uint32_t runs, most_run;
  uint64_t sum, least, most;
};

static struct node *find_node(struct node *nodes, size_t *count, const char *host) {
  for (size_t i = 0; i < *count; i++)
    if (strcmp(nodes[i].host, host) == 0) return &nodes[i];
  nodes[*count] = (struct node){.host = host, .least = UINT64_MAX};
  return &nodes[(*count)++];
}

static void print_node(const struct listing *listing, const struct run_rank *ranks,
                       const struct node *node) {
  fprintf(listing->out, "%6" PRIu32, node->runs);
  text_time(listing->out, listing->unit, node->sum / node->runs, 10);
  text_time(listing->out, listing->unit, node->least, 10);
  text_time(listing->out, listing->unit, node->most, 10);
  if (ranks[node->most_run].known)
    fprintf(listing->out, "%6" PRIu32 "  ", ranks[node->most_run].rank);
  else
    fprintf(listing->out, "%6s  ", "-");
  text_name(listing->out, node->host, 0);
  fputc('\n', listing->out);
}

void listing_nodes(const struct listing *listing, const struct run_rank *ranks,
                   const uint32_t *order) {
  const struct profile *profile = listing->model->profile;
  struct node *nodes = memory_zeroed(profile->run_count, sizeof *nodes);
  size_t count = 0,
         limit = listing->model->options->limit ? listing->model->options->limit : NODES_SHOWN;
  for (size_t i = 0; i < profile->run_count; i++) {
    struct node *node = find_node(nodes, &count, profile->runs[order[i]].host);
    uint64_t ns = profile->runs[order[i]].sampled_ns;
    if (!node->runs++ || ns > node->most) {
      node->most = ns;
      node->most_run = order[i];
    }
    node->sum += ns;
    if (ns < node->least) node->least = ns;
  }
  if (count > 1) {
    const char *unit = listing->unit.name;
    fputc('\n', listing->out);
    listing_bold(listing);
    fputs("Nodes\n", listing->out);
    listing_plain(listing);
    listing_dim(listing);
    fprintf(listing->out,
            " ranks      mean     least      most  rank  node\n"
            "        %7s   %7s   %7s  with\n",
            unit, unit, unit);
    listing_plain(listing);
    for (size_t i = 0; i < count && i < limit; i++)
      print_node(listing, ranks, &nodes[i]);
    if (count > limit) fprintf(listing->out, "%zu more nodes (--limit all)\n", count - limit);
  }
  free(nodes);
}
