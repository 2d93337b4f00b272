#include "cli/shown_command.h"

#include <stdio.h>
#include <string.h>

/* A word as the shell would read it back. */
static void print_word(const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "%+,-./:=@_";
  if (*word && word[strspn(word, plain)] == '\0') {
    fputs(word, stdout);
    return;
  }
  putchar('\'');
  for (; *word; word++) {
    if (*word == '\'')
      fputs("'\\''", stdout);
    else
      putchar(*word);
  }
  putchar('\'');
}

void shown_command_print(const struct words *command) {
  for (size_t i = 0; i < command->count; i++) {
    if (i) putchar(' ');
    print_word(command->items[i]);
  }
  putchar('\n');
}
