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

/* Is the current context this path ("main>a>b")?  Says so on stderr if not, and counts a fault.
 * Names are those of the dynamic symbol table: link with -rdynamic. */
void fixture_expect(const char *path);

/* As above for a count; `what` names it in the message. */
void fixture_expect_calls(const char *what, const void *address, unsigned long calls);

/* Faults so far: the test's exit status. */
int fixture_faults(void);

#ifdef __cplusplus
}
#endif
#endif
