/* A history in which several functions have become one: clones and pieces of a function are
 * functions of their own while a program runs. */
#ifndef ASCRIBE_ATTRIBUTION_FOLD_H
#define ASCRIBE_ATTRIBUTION_FOLD_H

#include <stdbool.h>
#include <stdint.h>

/* Rewrite a history in place, its functions already being the merged ones, so that the rules hold
 * again: neighbours that became one function are one activation (rule A1), only the most recent
 * activation of a function is marked (A3), and unmarked entries without use go (A4, A5).
 * Returns the new length. */
uint32_t history_fold(uint32_t *history, uint32_t length);

#endif
