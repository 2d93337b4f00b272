/* What a comparison says of two profiles: of the whole first, then of which entries differ. The one
 * wording for `ascribe diff`, its JSON and the viewer. */
#ifndef ASCRIBE_COMPARE_VERDICT_H
#define ASCRIBE_COMPARE_VERDICT_H

#include "base/json.h"
#include "compare/compared.h"

enum verdict_whole { WHOLE_UNKNOWN, WHOLE_WITHIN_CHANCE, WHOLE_MORE, WHOLE_LESS };

enum { VERDICT_NAME_BYTES = 2048 };

/* A function that was called another number of times: counted, so certain. */
struct verdict_count {
  int64_t a, b; /* ids; ENTRY_NONE */
  double calls[2], apart;
  char name[VERDICT_NAME_BYTES];
};

enum { VERDICT_COUNTS = 3 };

struct verdict {
  enum compared_kind kind;
  bool time;                /* else what the profiles count */
  bool calls_counted;       /* on both sides */
  enum verdict_whole whole; /* of one run: b's, beside a's */
  double change, low, high; /* of it, as a part of a's; 95 % */
  struct spread spread;
  /* Entries: whose difference is exact, is more than chance, may be chance, or cannot be judged. */
  size_t certain, stand_out, chance, unknown, judged_together;
  size_t counted; /* functions with other calls; those furthest apart: */
  struct verdict_count counts[VERDICT_COUNTS];
};

/* Of a comparison that was run. 0, or -1 with the reason. */
int verdict_find(struct workspace *workspace, const struct compared *compared,
                 struct verdict *verdict, struct error *error);

enum { VERDICT_LINE_BYTES = 256 };

/* In words: sentences without their full stops; empty ones say nothing. */
struct verdict_words {
  char head[VERDICT_LINE_BYTES], whole[VERDICT_LINE_BYTES], entries[VERDICT_LINE_BYTES],
      advice[VERDICT_LINE_BYTES];
};

void verdict_tell(const struct verdict *verdict, struct verdict_words *words);

/* An object `verdict`: figures and words. */
void verdict_json(const struct verdict *verdict, struct json *json);

#endif
