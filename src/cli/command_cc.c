/* ascribe cc, c++, fc: run the compiler with the hooks added. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/option_tables.h"
#include "cli/shown_command.h"
#include "instrument/wrapper/told_once.h"
#include "instrument/wrapper/wrapper.h"

static void explain(const struct wrapper_plan *plan) {
  static const char *const names[] = {
      [WRAPPER_NO_HOOKS] = "none",
      [WRAPPER_COUNTERS] = "GCC plugin, counters",
      [WRAPPER_PASS] = "plugin for clang, counters",
      [WRAPPER_PLUGIN] = "GCC plugin, contexts",
      [WRAPPER_HEADER] = "-finstrument-functions, inlined hooks",
      [WRAPPER_CALLED] = "-finstrument-functions, called hooks",
  };
  printf("compiler: %s (%s)\n", plan->command.items[0],
         plan->compiler_from ? plan->compiler_from : "the usual one");
  printf("hooks:   %s: %s\n", names[plan->hooks], plan->hooks_reason);
  printf("counts:  %s\n", wrapper_plan_counts(plan));
  printf("runtime: %s: %s\n", plan->runtime ? "linked" : "not linked", plan->runtime_reason);
  fputs("command: ", stdout);
  shown_command_print(&plan->command);
}

static void tell_second_best(const struct wrapper_plan *plan) {
  char text[512];
  const char *what = "using costlier hooks (1.3 to 1.9 times the time where calls are many)";
  if (plan->hooks == WRAPPER_NO_HOOKS) what = "compiling without hooks";
  if (plan->hooks == WRAPPER_COUNTERS || plan->hooks == WRAPPER_PASS) what = "counting";
  snprintf(text, sizeof(text), "ascribe: %s: %s; --ascribe-explain says more", what,
           plan->hooks_reason);
  if (told_once_is_new(text)) fprintf(stderr, "%s\n", text);
}

static bool asks_for_help(int count, char **arguments) {
  return count == 2 && strcmp(arguments[1], "--help") == 0;
}

static int run(const struct wrapper_plan *plan) {
  if (plan->explain) {
    explain(plan);
    return 0;
  }
  if (plan->is_second_best) tell_second_best(plan);
  execvp(plan->command.items[0], plan->command.items);
  fprintf(stderr, "ascribe: cannot run the compiler %s: %s\n", plan->command.items[0],
          strerror(errno));
  return errno == ENOENT ? 127 : 126;
}

int command_cc(int count, char **arguments) {
  struct wrapper_plan plan;
  struct error error;
  int status = 1;
  if (asks_for_help(count, arguments)) {
    puts(options_cc.usage);
    fflush(stdout);
  }
  if (wrapper_plan_make(count, arguments, options_cc.known, &plan, &error) == 0)
    status = run(&plan);
  else
    fprintf(stderr, "ascribe: %s\n", error.text);
  wrapper_plan_free(&plan);
  return status;
}
