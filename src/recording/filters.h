/* How many filters of system calls (seccomp) a program is started under are known to be harmless to
 * whoever records: of its own starter's, and of recorded programs' that looked at them. */
#ifndef ASCRIBE_RECORDING_FILTERS_H
#define ASCRIBE_RECORDING_FILTERS_H

#define FILTERS_VARIABLE "ASCRIBE_FILTERS" /* of the environment: a number of FILTERS_DIGITS */
#define FILTERS_FIELD "Seccomp_filters:\t" /* of /proc/PID/status: how many there are */
#define FILTERS_DIGITS 5

#endif
