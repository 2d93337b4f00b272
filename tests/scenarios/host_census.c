/* One census of more kinds of closures than a thread's first tables have room for. */
#include <ascribe/host.h>

#include <pthread.h>
#include <stdio.h>

enum { KINDS = 120, EACH = 10 };

static ascribe_closure kinds[KINDS];
static uint32_t centre;

static void *take_census(void *unused) {
  ascribe_census_begin();
  for (int i = 0; i < KINDS; i++)
    for (int k = 0; k < EACH; k++)
      ascribe_census_add(kinds[i], centre);
  ascribe_census_end();
  return unused;
}

int main(void) {
  pthread_t thread;
  char name[20];
  ascribe_host_begin();
  for (int i = 0; i < KINDS; i++) {
    snprintf(name, sizeof name, "kind %d", i);
    kinds[i] = ascribe_host_closure(ASCRIBE_THUNK, name, 8);
  }
  ascribe_scc(ascribe_host_centre("foo", "Main", "/main.stg", 1));
  centre = ascribe_built();
  if (pthread_create(&thread, NULL, take_census, NULL)) return 1;
  pthread_join(thread, NULL);
  return 0;
}
