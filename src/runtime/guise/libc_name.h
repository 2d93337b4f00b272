/* Functions of libc's that the runtime answers first, by libc's names: each yields to one that the
 * program defines itself, as libc's does. What the runtime calls of these it calls by names of its
 * own, for the program's may be something else altogether. */
#ifndef ASCRIBE_RUNTIME_LIBC_NAME_H
#define ASCRIBE_RUNTIME_LIBC_NAME_H

#define LIBC_NAME __attribute__((visibility("default"), weak))

/* For those who call it. */
#define OWN_NAME_DECLARED(name)                                                                    \
  extern __typeof__(name) own_##name __attribute__((copy(name), visibility("hidden")))

/* After the definition of `name`: own_`name` is the same, whoever else defines `name`. */
#define OWN_NAME(name)                                                                             \
  extern __typeof__(name) own_##name __attribute__((alias(#name), copy(name), visibility("hidden")))

#endif
