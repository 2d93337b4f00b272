/* Profiles in other tools' formats (docs/EXCHANGE.md). */
#ifndef ASCRIBE_EXCHANGE_EXPORT_H
#define ASCRIBE_EXCHANGE_EXPORT_H

#include <stdio.h>

#include "attribution/costs.h"

struct export_options {
  struct selection selection;
  bool threads; /* a frame for each thread at the root of its stacks, where a format has none */
  bool centres; /* stacks are those of cost centres (profile->centres), not of functions */
  void (*say)(const char *text); /* what the format has no room for; null: to nobody */
};

struct export_data;

/* Whether a format's stacks may be those of cost centres. */
enum export_centres {
  EXPORT_NO_CENTRES,
  EXPORT_CENTRES_IF_ASKED,
  EXPORT_CENTRES_IF_ANY /* they are, if the profile has cost centres */
};

/* What a profile must have for a format to have something to say. */
enum export_need {
  EXPORT_ANY,
  EXPORT_STACKS,
  EXPORT_LEVELS,      /* of memory that was live, by time */
  EXPORT_EXPRESSIONS, /* nothing can be selected */
  EXPORT_ADDRESSES    /* of CPU time; nothing can be selected */
};

struct export_format {
  const char *name;   /* as after --to */
  const char *suffix; /* of files: ".pb.gz" */
  const char *readers;
  enum export_need need;
  /* Errors of `out` are the caller's to look at. */
  int (*write)(const struct export_data *data, FILE *out, struct error *error);
  enum export_centres centres;
  const char *metric; /* of which it is if none is asked for; null: the profile's first */
};

/* The format of that name, or null. */
const struct export_format *export_format_named(const char *name);

/* All formats, in the order in which they are offered; null ends them. */
extern const struct export_format *const export_formats[];

/* Write the profile.  Fails where the profile, or the program that it is of, has not what the
 * format needs.  Errors of `out` are the caller's to look at (ferror). */
int export_profile(const struct profile *profile, const struct export_options *options,
                   const struct export_format *format, FILE *out, struct error *error);

#endif
