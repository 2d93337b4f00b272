/* A tiny runtime for the tests of the hooks: one table, one thread, calling contexts as paths.
 *
 * A path holds each function once: a call of a function that is already on it goes back to that
 * place. The tests ask where they are and what was counted. */
#ifndef ASCRIBE_TESTS_FIXTURE_H
#define ASCRIBE_TESTS_FIXTURE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Calls counted so far of the function at `address`. */
unsigned long fixture_calls(const void *address);

/* Give the function at `address` a name for paths. FIXTURE_NAME(f) names it as it is written. */
void fixture_name(const void *address, const char *name);
#define FIXTURE_NAME(function) fixture_name((const void *)(function), #function)

/* Is the current context this path ("main>a>b")?  Says so on stderr if not, and counts a fault. */
void fixture_expect(const char *path);

/* As above for a count; `what` names it in the message. */
void fixture_expect_calls(const char *what, const void *address, unsigned long calls);

/* Faults so far: the test's exit status. */
int fixture_faults(void);

#ifdef __cplusplus
}
#endif
#endif
