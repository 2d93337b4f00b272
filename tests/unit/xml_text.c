/* Names in XML. */
#include "exchange/xml_text.h"

#include <stdlib.h>

#include "check.h"

static void check_written(const char *text, size_t columns, const char *expected) {
  char *got = NULL;
  size_t count = 0;
  FILE *out = open_memstream(&got, &count);
  if (columns)
    xml_text_cut(out, text, columns);
  else
    xml_text(out, text);
  fclose(out);
  CHECK_TEXT(got, expected);
  free(got);
}

int main(void) {
  check_written("a<b> && \"c\" 'd'", 0, "a&lt;b&gt; &amp;&amp; &quot;c&quot; &#39;d&#39;");
  check_written("gr\xc3\xbc\xc3\x9f", 0, "gr\xc3\xbc\xc3\x9f");
  check_written("\xef\xbf\xbf \xef\xbf\xbe", 0, "? ?");
  check_written("\xf0\x9f\x94\xa5", 0, "\xf0\x9f\x94\xa5");
  check_written("main", 4, "main");
  check_written("operator<<", 6, "oper..");
  check_written("<<<<<<", 4, "&lt;&lt;..");
  check_written("\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc", 3, "\xc3\xbc..");
  return check_result();
}
