/* libuv: a request carries its maker's cost centre into the thread pool and back into the loop. The
 * example of docs/COST_CENTRES.md. gcc -O2 -g event_loop.c -luv */
#include <ascribe/ascribe.h>
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

struct request {
  uv_work_t work;
  struct ascribe_captured maker;
  unsigned value;
};

static int done;
static volatile unsigned checksum;

static void compute(struct request *request) {
  for (int i = 0; i < 300000; i++)
    request->value = request->value * 1103515245 + 12345;
  checksum = request->value;
}

static void in_pool(uv_work_t *work) {
  struct request *request = (struct request *)work;
  ASCRIBE_RESUME(request->maker);
  compute(request);
}

static void in_loop(uv_work_t *work, int status) {
  struct request *request = (struct request *)work;
  ASCRIBE_RESUME(request->maker);
  ASCRIBE_SCOPE("answer");
  compute(request);
  done += status == 0;
  free(request);
}

static void queue(unsigned value) {
  struct request *request = malloc(sizeof *request);
  request->maker = ascribe_capture();
  request->value = value;
  uv_queue_work(uv_default_loop(), &request->work, in_pool, in_loop);
}

static void on_timer(uv_timer_t *timer) {
  ASCRIBE_SCOPE("timer");
  for (unsigned i = 0; i < 100; i++)
    queue(i);
  uv_close((uv_handle_t *)timer, NULL);
}

int main(void) {
  uv_timer_t timer;
  uv_timer_init(uv_default_loop(), &timer);
  uv_timer_start(&timer, on_timer, 1, 0);
  {
    ASCRIBE_SCOPE("start");
    for (unsigned i = 0; i < 200; i++)
      queue(i);
  }
  {
    ASCRIBE_SCOPE("loop");
    uv_run(uv_default_loop(), UV_RUN_DEFAULT);
  }
  printf("%d requests\n", done);
  return 0;
}
