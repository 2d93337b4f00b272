#include "view/page.h"

#include <string.h>

#include "view/web_assets.h"

/* web_assets.h is made of web/ (embed.py): viewer_js[], viewer_css[]. */
static const struct page_asset assets[] = {
    {"viewer.js", "text/javascript; charset=utf-8", viewer_js, sizeof viewer_js - 1},
    {"viewer.css", "text/css; charset=utf-8", viewer_css, sizeof viewer_css - 1},
};

const struct page_asset *page_asset(const char *name) {
  for (size_t i = 0; i < sizeof assets / sizeof *assets; i++)
    if (strcmp(assets[i].name, name) == 0) return &assets[i];
  return NULL;
}

void page_policy(const char *nonce, const char *own, char *policy, size_t bytes) {
  snprintf(policy, bytes,
           "default-src 'none'; script-src %s 'nonce-%s'; style-src %s 'nonce-%s'; connect-src %s;"
           " img-src data:; base-uri 'none'; form-action 'none'",
           own, nonce, own, nonce, *own ? own : "'none'");
}

void page_write(const char *nonce, FILE *out) {
  fprintf(out,
          "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<title>Ascribe</title>\n<link rel=\"icon\" href=\"data:,\">\n"
          "<link rel=\"stylesheet\" href=\"viewer.css\">\n"
          "<script nonce=\"%s\" src=\"viewer.js\" defer></script>\n</head>\n"
          "<body><noscript>This page needs JavaScript.</noscript></body>\n</html>\n",
          nonce);
}
