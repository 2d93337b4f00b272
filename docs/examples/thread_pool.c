/* A pool of threads: each job carries the cost centre in which it was submitted. The example of
 * docs/COST_CENTRES.md. gcc -O2 -g -pthread thread_pool.c */
#include <ascribe/ascribe.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 2, JOBS = 600 };

struct job {
  struct ascribe_captured maker;
  void (*function)(int argument);
  int argument;
};

static struct job jobs[JOBS];
static int submitted, taken;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void submit(void (*function)(int), int argument) {
  jobs[submitted++] = (struct job){ascribe_capture(), function, argument};
}

static struct job *take(void) {
  struct job *job = NULL;
  pthread_mutex_lock(&lock);
  if (taken < submitted) job = &jobs[taken++];
  pthread_mutex_unlock(&lock);
  return job;
}

static void run(const struct job *job) {
  ASCRIBE_RESUME(job->maker);
  job->function(job->argument);
}

static void *run_jobs(void *unused) {
  ASCRIBE_SCOPE("pool");
  for (struct job *job; (job = take());)
    run(job);
  return unused;
}

static void help_out(int most) {
  ASCRIBE_SCOPE("help");
  for (int i = 0; i < most; i++)
    run(take());
}

static volatile unsigned checksum;

static void compress(int block) {
  unsigned value = block;
  for (int i = 0; i < 300000; i++)
    value = value * 1103515245 + 12345;
  checksum = value;
}

static void backup(void) {
  ASCRIBE_SCOPE("backup");
  for (int i = 0; i < 400; i++)
    submit(compress, i);
}

static void upload(void) {
  ASCRIBE_SCOPE("upload");
  for (int i = 0; i < 200; i++)
    submit(compress, i);
}

int main(void) {
  pthread_t threads[THREADS];
  backup();
  upload();
  help_out(150);
  for (int i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, run_jobs, NULL);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  printf("%d jobs\n", taken);
  return 0;
}
