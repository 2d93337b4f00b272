/* `ascribe --complete WORD...`, which the shells' completion (completions/) asks. */
#ifndef ASCRIBE_CLI_COMPLETION_H
#define ASCRIBE_CLI_COMPLETION_H

/* Print what the last of the words behind "ascribe" could become, a line each: the word, a tab and
 * what it means; or what the shell knows better than we: ":files", ":profiles", ":processes", and
 * ":program N" if the words from the Nth on (the command is the 0th) are a command line of their
 * own. Words that do not begin as the last one does are for the shell to leave out. */
void completion_print(int count, char **words);

#endif
