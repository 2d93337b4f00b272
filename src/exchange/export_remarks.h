/* What every export says about itself, where its format has a place for words. */
#ifndef ASCRIBE_EXCHANGE_EXPORT_REMARKS_H
#define ASCRIBE_EXCHANGE_EXPORT_REMARKS_H

#include "exchange/export_data.h"

/* One line each, clean; null after the last.  The texts are data->pool's. */
void export_remarks(const struct export_data *data, const char *remarks[MOST_REMARKS + 1]);

#endif
