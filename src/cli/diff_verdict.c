#include "cli/diff_verdict.h"

#include <stdio.h>

#include "cli/entry_labels.h"
#include "compare/ids.h"

/* Where the entries' own differences are counts, they say the same. */
static size_t counts_shown(const struct verdict *verdict) {
  if (verdict->certain) return 0;
  return verdict->counted < VERDICT_COUNTS ? verdict->counted : VERDICT_COUNTS;
}

static size_t entry_of(const struct verdict_count *count, int64_t *id) {
  size_t profile = count->b == ENTRY_NONE ? 1 : 2;
  *id = profile == 2 ? count->b : count->a;
  return profile;
}

static int announce(struct entry_labels *labels, const struct verdict *verdict,
                    struct error *error) {
  int64_t id;
  for (size_t i = 0; i < counts_shown(verdict); i++) {
    size_t profile = entry_of(&verdict->counts[i], &id);
    if (entry_labels_announce(labels, profile, id, error) != 0) return -1;
  }
  entry_labels_announced(labels);
  return 0;
}

static int print_count(struct entry_labels *labels, const struct verdict_count *count,
                       struct error *error) {
  int64_t id;
  size_t profile = entry_of(count, &id);
  if (entry_label_print(labels, profile, id, stdout, error) != 0) return -1;
  printf(" %.15g -> %.15g", count->calls[0], count->calls[1]);
  return 0;
}

/* Counted, so certain whatever the noise. */
static int print_counts(struct entry_labels *labels, const struct verdict *verdict,
                        struct error *error) {
  size_t shown = counts_shown(verdict);
  if (!shown) return 0;
  if (announce(labels, verdict, error) != 0) return -1;
  printf("  certain: %zu function%s called more or less often (counted): ", verdict->counted,
         verdict->counted == 1 ? " is" : "s are");
  for (size_t i = 0; i < shown; i++) {
    if (i) fputs(", ", stdout);
    if (print_count(labels, &verdict->counts[i], error) != 0) return -1;
  }
  puts(shown < verdict->counted ? "..." : "");
  return 0;
}

int diff_verdict_print(struct workspace *workspace, const struct verdict *verdict,
                       struct error *error) {
  struct entry_labels labels = {.workspace = workspace, .kind = verdict->kind};
  struct verdict_words words;
  verdict_tell(verdict, &words);
  puts(words.head);
  const char *const lines[] = {words.whole, words.entries, words.advice};
  for (size_t i = 0; i < 2; i++)
    if (*lines[i]) printf("  %s\n", lines[i]);
  int result = print_counts(&labels, verdict, error);
  entry_labels_close(&labels);
  if (*words.advice) printf("  %s\n", words.advice);
  putchar('\n');
  return result;
}
