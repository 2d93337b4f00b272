/* A stream that compresses what is written to it, as gzip does. */
#ifndef ASCRIBE_EXCHANGE_GZIP_STREAM_H
#define ASCRIBE_EXCHANGE_GZIP_STREAM_H

#include <stdio.h>

/* Writes to `out`, which stays open and whose errors are to be looked at there.  fclose ends the
 * compressed data. */
FILE *gzip_stream_open(FILE *out);

#endif
