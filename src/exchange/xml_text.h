/* Text inside XML. */
#ifndef ASCRIBE_EXCHANGE_XML_TEXT_H
#define ASCRIBE_EXCHANGE_XML_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Write clean text (export_names.h) escaped, for elements and attributes.  Characters that XML
 * has no way to write appear as '?'. */
void xml_text(FILE *out, const char *text);

/* The same in at most `columns` characters (3 at least), its end left out if it is longer. */
void xml_text_cut(FILE *out, const char *text, size_t columns);

#endif
