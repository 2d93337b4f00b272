/* Contexts as a tree: what was active, below what, and what it cost there. */
#include "report/context_tree.h"

#include <stdlib.h>
#include <string.h>

#include "attribution/stack_path.h"
#include "report/columns.h"
#include "symbols/name_parts.h"

enum {
  MOST_NODES = 60,  /* without a limit, and */
  LEAST_PART = 200, /* those that took this part of the whole or more */
  INDENT = 2,
  ROOM_FOR_NAME = 24, /* deeper levels are not indented further, but have their number */
  LEAST_NAME = 8,
  NAME_BYTES = 1024,
  LINE_WITHOUT_LIMIT = 100 /* where a chain goes on in the next line */
};

struct page {
  const struct listing *listing;
  struct context_tree tree;
  bool *shown;     /* by node */
  size_t left_out; /* nodes */
};

/* It has no time of its own and one function below it: both stand in one line. */
static bool passes_on(const struct page *page, uint32_t id) {
  const struct context_node *node = &page->tree.nodes[id];
  return id != 0 && !node->self.raw_ns && node->child_count == 1;
}

/* ---- which are shown ---- */

static int more_time_first(const void *left, const void *right, void *context) {
  const struct context_tree *tree = context;
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  uint64_t of_a = tree->nodes[a].total.raw_ns, of_b = tree->nodes[b].total.raw_ns;
  if (of_a != of_b) return of_a > of_b ? -1 : 1;
  return (a > b) - (a < b);
}

/* A node has more time than each of those below it, so no child is shown without its parent. */
static void choose(struct page *page) {
  const struct context_tree *tree = &page->tree;
  size_t limit = page->listing->model->options->limit, count = 0;
  uint64_t least = limit ? 0 : tree->nodes[0].total.raw_ns / LEAST_PART;
  uint32_t *order = memory_zeroed(tree->count, sizeof *order);
  page->shown = memory_zeroed(tree->count, sizeof *page->shown);
  for (size_t i = 1; i < tree->count; i++)
    if (!passes_on(page, i)) order[count++] = i;
  qsort_r(order, count, sizeof *order, more_time_first, (void *)tree);
  size_t most = limit ? limit : MOST_NODES, shown = 0;
  while (shown < count && shown < most && tree->nodes[order[shown]].total.raw_ns >= least)
    page->shown[order[shown++]] = true;
  page->left_out = count - shown;
  free(order);
  for (size_t i = tree->count; i-- > 1;)
    if (page->shown[i]) page->shown[tree->nodes[i].parent] = true;
}

/* ---- columns ---- */

static int figures_width(const struct listing *listing) {
  return SHARES_WIDTH + 2 * column_width(listing) + 2;
}

static void print_heading(const struct listing *listing) {
  listing_title(listing, "Contexts");
  listing_dim(listing);
  fprintf(listing->out, "%*s%*s", SHARE_WIDTH, "total", SHARES_WIDTH - SHARE_WIDTH, "self");
  column_heading(listing, "total");
  column_heading(listing, "self");
  fputs("  ", listing->out);
  text_start(listing->out, "function, below those that were active",
             listing_name_width(listing, (size_t)figures_width(listing)));
  fputc('\n', listing->out);
  column_shares_units(listing);
  column_units(listing);
  column_units(listing);
  fputc('\n', listing->out);
  listing_plain(listing);
}

/* Blank where there is no time of its own. */
static void print_figures(const struct listing *listing, struct amount total, struct amount self) {
  struct estimate whole = model_estimate(listing->model, total),
                  own = model_estimate(listing->model, self);
  uint64_t all = books_whole_ns(&listing->model->books);
  text_percent(listing->out, whole.ns, all, SHARE_WIDTH);
  if (self.raw_ns)
    text_percent(listing->out, own.ns, all, SHARES_WIDTH - SHARE_WIDTH);
  else
    fprintf(listing->out, "%*s", SHARES_WIDTH - SHARE_WIDTH, "");
  column_estimate(listing, whole);
  if (self.raw_ns)
    column_estimate(listing, own);
  else
    column_blank(listing);
}

/* ---- lines ---- */

/* Columns for what stands on a level. */
static size_t room_on(const struct listing *listing, uint32_t level) {
  size_t width = listing->terminal.width, used = figures_width(listing) + (size_t)INDENT * level;
  if (!width) return LINE_WITHOUT_LIMIT;
  return width > used + ROOM_FOR_NAME ? width - used : ROOM_FOR_NAME;
}

/* Very deep levels are not indented further, but have their number. */
static size_t print_indent(const struct listing *listing, uint32_t level) {
  size_t width = listing->terminal.width, indent = (size_t)INDENT * level;
  size_t figures = figures_width(listing) + ROOM_FOR_NAME;
  size_t most = width > figures ? width - figures : 0;
  fprintf(listing->out, "  %*s", (int)(width && indent > most ? most : indent), "");
  return width && indent > most ? fprintf(listing->out, "%u: ", level) : 0;
}

static bool is_active_above(const struct context_tree *tree, uint32_t id) {
  uint32_t function = tree->nodes[id].function;
  if (function == PATH_HOLE) return false;
  for (uint32_t at = tree->nodes[id].parent; at != NOTHING; at = tree->nodes[at].parent)
    if (tree->nodes[at].function == function) return true;
  return false;
}

/* What stands behind a name in a chain. */
static const char *behind_name(const struct page *page, uint32_t id, bool last) {
  bool again = is_active_above(&page->tree, id);
  if (last) return again ? " again" : "";
  return again ? " again >" : " >";
}

/* On a terminal those that only lead to others are as short as can be. */
static const char *name_of(const struct page *page, uint32_t id, bool last, size_t room,
                           char text[NAME_BYTES]) {
  const struct profile *profile = page->listing->model->profile;
  uint32_t function = page->tree.nodes[id].function;
  if (function == PATH_HOLE) return PATH_HOLE_NAME;
  const char *name = profile->functions[function].name;
  if (!page->listing->terminal.width) return name;
  if (last || strlen(name) >= NAME_BYTES)
    return name_fit(name, listing_telling(page->listing, function), room, text, NAME_BYTES);
  return name_brief(name, text, NAME_BYTES);
}

/* Functions that stand in one line, outermost first. */
struct chain {
  uint32_t *ids;
  size_t count;
};

static struct chain chain_make(const struct page *page, uint32_t id) {
  const struct context_node *nodes = page->tree.nodes;
  uint32_t end = id;
  while (passes_on(page, end))
    end = page->tree.children[nodes[end].first_child];
  struct chain chain = {.count = nodes[end].depth - nodes[id].depth + 1};
  chain.ids = memory_zeroed(chain.count, sizeof *chain.ids);
  for (size_t i = chain.count; i-- > 0; end = nodes[end].parent)
    chain.ids[i] = end;
  return chain;
}

/* Behind those of a chain, from `first` on, that have room in a line: at least one. */
static size_t line_end(const struct page *page, const struct chain *chain, size_t first,
                       size_t room) {
  size_t used = 0, end = first;
  char text[NAME_BYTES];
  for (; end < chain->count; end++) {
    bool last = end + 1 == chain->count;
    if (end > first) used++;
    used += strlen(name_of(page, chain->ids[end], last, room, text)) +
            strlen(behind_name(page, chain->ids[end], last));
    if (used > room && end > first) break;
  }
  return end;
}

static void print_names(const struct page *page, const struct chain *chain, size_t first,
                        size_t end, size_t room) {
  char text[NAME_BYTES];
  for (size_t i = first; i < end; i++) {
    bool last = i + 1 == chain->count;
    const char *behind = behind_name(page, chain->ids[i], last);
    size_t width = room > strlen(behind) + LEAST_NAME ? room - strlen(behind) : LEAST_NAME;
    if (i > first) fputc(' ', page->listing->out);
    text_name(page->listing->out, name_of(page, chain->ids[i], last, width, text),
              page->listing->terminal.width ? width : 0);
    fputs(behind, page->listing->out);
  }
  fputc('\n', page->listing->out);
}

/* In as many lines as it takes, of which the last has the figures. Returns the innermost node. */
static uint32_t print_chain(const struct page *page, uint32_t id, uint32_t level) {
  const struct listing *listing = page->listing;
  struct chain chain = chain_make(page, id);
  const struct context_node *last = &page->tree.nodes[chain.ids[chain.count - 1]];
  size_t room = room_on(listing, level);
  for (size_t first = 0, end; first < chain.count; first = end) {
    end = line_end(page, &chain, first, room);
    if (end == chain.count)
      print_figures(listing, last->total, last->self);
    else
      fprintf(listing->out, "%*s", figures_width(listing) - 2, "");
    print_names(page, &chain, first, end, room - print_indent(listing, level));
  }
  id = chain.ids[chain.count - 1];
  free(chain.ids);
  return id;
}

/* What is not shown below a node, in one line. */
static void print_rest(const struct page *page, uint32_t id, uint32_t level) {
  const struct context_node *node = &page->tree.nodes[id];
  struct amount sum = {0};
  size_t count = 0;
  for (uint32_t i = 0; i < node->child_count; i++) {
    uint32_t child = page->tree.children[node->first_child + i];
    if (page->shown[child]) continue;
    sum = amount_sum(sum, page->tree.nodes[child].total);
    count++;
  }
  if (!count) return;
  listing_dim(page->listing);
  print_figures(page->listing, sum, (struct amount){0});
  print_indent(page->listing, level);
  fprintf(page->listing->out, "... %zu more\n", count);
  listing_plain(page->listing);
}

/* Where a walk has come to on each level. */
struct position {
  uint32_t node, next; /* its next child, of child_count */
};

static void print_tree(const struct page *page) {
  const struct context_tree *tree = &page->tree;
  uint32_t deepest = 0;
  for (size_t i = 0; i < tree->count; i++)
    if (tree->nodes[i].depth > deepest) deepest = tree->nodes[i].depth;
  struct position *path = memory_zeroed(deepest + 1, sizeof *path);
  for (uint32_t level = 0;;) {
    struct position *at = &path[level];
    const struct context_node *node = &tree->nodes[at->node];
    uint32_t child =
        at->next < node->child_count ? tree->children[node->first_child + at->next] : 0;
    at->next++;
    if (child && page->shown[child]) {
      path[level + 1] = (struct position){print_chain(page, child, level), 0};
      level++;
    } else if (!child) {
      print_rest(page, at->node, level);
      if (level-- == 0) break;
    }
  }
  free(path);
}

void listing_contexts(const struct listing *listing) {
  struct page page = {.listing = listing};
  context_tree_make(&page.tree, listing->model->profile, &listing->model->options->selection);
  choose(&page);
  print_heading(listing);
  const struct context_node *root = &page.tree.nodes[0];
  if (root->self.raw_ns) {
    print_figures(listing, root->self, root->self);
    fputs("  (in no function)\n", listing->out);
  }
  print_tree(&page);
  if (page.left_out)
    fprintf(listing->out, "%zu more context%s with less time (--limit all)\n", page.left_out,
            page.left_out == 1 ? "" : "s");
  free(page.shown);
  context_tree_free(&page.tree);
}
