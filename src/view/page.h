/* The page that shows a profile, and its parts, which are built into the program. */
#ifndef ASCRIBE_VIEW_PAGE_H
#define ASCRIBE_VIEW_PAGE_H

#include <stdio.h>

#include "view/view.h"

struct page_asset {
  const char *name, *type, *text;
  size_t bytes;
};

/* viewer.js or viewer.css; null: there is no such part. */
const struct page_asset *page_asset(const char *name);

/* The page that a server sends. `nonce` is that of its policy. */
void page_write(const char *nonce, FILE *out);

/* The Content-Security-Policy: scripts and styles of `own` or with the nonce, and nothing from
 * elsewhere. A server adds that no page may frame this one; pages cannot say so themselves. */
void page_policy(const char *nonce, const char *own, char *policy, size_t bytes);

#endif
