#include "store/tables.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "profile/drops.h"
#include "profile/profile.h"
#include "recording/mpi_calls.h"

/* `T` is the struct that the columns are of; names are those of its members where nothing else is
 * said. */
#define COLUMN(sql, member, ...)                                                                   \
  { .name = (sql), .bytes = sizeof((T *)0)->member, .offset = offsetof(T, member), __VA_ARGS__ }
/* A member of 32 bits can have any number; one of 64, what SQLite can. */
#define ANY(member) (sizeof((T *)0)->member == 8 ? INT64_MAX : UINT32_MAX)
#define NUMBER_AS(sql, member)                                                                     \
  COLUMN(sql, member, .kind = COLUMN_NUMBER, .limit = (uint64_t)ANY(member))
#define NUMBER(member) NUMBER_AS(#member, member)
#define LIMITED(member, most) COLUMN(#member, member, .kind = COLUMN_NUMBER, .limit = (most))
/* That earlier files have under another name. */
#define RENAMED_LIMITED(member, before, most)                                                      \
  COLUMN(#member, member, .kind = COLUMN_NUMBER, .limit = (most), .older = (before))
#define RENAMED(member, before) RENAMED_LIMITED(member, before, INT64_MAX)
#define OPTIONAL_NUMBER_AS(sql, member) COLUMN(sql, member, .kind = COLUMN_OPTIONAL_NUMBER)
#define OPTIONAL_NUMBER(member) OPTIONAL_NUMBER_AS(#member, member)
#define REAL_AS(sql, member) COLUMN(sql, member, .kind = COLUMN_REAL)
#define ID_AS(sql, member, table) COLUMN(sql, member, .kind = COLUMN_ID, .limit = (table))
#define ID(member, table) ID_AS(#member, member, table)
#define OPTIONAL_ID(member, table)                                                                 \
  COLUMN(#member, member, .kind = COLUMN_OPTIONAL_ID, .limit = (table))
#define TEXT_AS(sql, member) COLUMN(sql, member, .kind = COLUMN_TEXT)
#define TEXT(member) TEXT_AS(#member, member)
#define OPTIONAL_TEXT_AS(sql, member) COLUMN(sql, member, .kind = COLUMN_OPTIONAL_TEXT)
#define OPTIONAL_TEXT(member) OPTIONAL_TEXT_AS(#member, member)
#define IN_FILE(member) COLUMN(#member, member, .kind = COLUMN_FILE)
#define OPTIONAL_FILE_AS(sql, member) COLUMN(sql, member, .kind = COLUMN_OPTIONAL_FILE)
#define OPTIONAL_FILE(member) OPTIONAL_FILE_AS(#member, member)
/* An amount is two columns. */
#define AMOUNT(prefix, member)                                                                     \
  NUMBER_AS(prefix "ticks", member.ticks), NUMBER_AS(prefix "raw_ns", member.raw_ns)

#define SELF                                                                                       \
  "self_ticks INTEGER NOT NULL, self_ns INTEGER NOT NULL, self_low_ns INTEGER, self_high_ns "      \
  "INTEGER"

/* struct heap_cost of attribution/heap_costs.h. */
#define HEAP_COST                                                                                  \
  " allocations INTEGER NOT NULL, allocations_low INTEGER, allocations_high INTEGER,"              \
  " allocated_bytes INTEGER NOT NULL, allocated_low INTEGER, allocated_high INTEGER,"              \
  " live_bytes INTEGER NOT NULL, live_low INTEGER, live_high INTEGER,"                             \
  " peak_bytes INTEGER, peak_low INTEGER, peak_high INTEGER,"                                      \
  " temporary INTEGER NOT NULL, temporary_low INTEGER, temporary_high INTEGER,"                    \
  " live_blocks INTEGER NOT NULL, least_bytes INTEGER, most_bytes INTEGER"

/* Sums of two stay below 2^64. */
#define CYCLES_MOST ((1ull << 62) - 1)

/* ---- the columns ---- */

#define T struct profile_object
static const struct column objects[] = {TEXT(path),
                                        TEXT(build_id),
                                        TEXT(message),
                                        OPTIONAL_TEXT(uncounted),
                                        LIMITED(counted, COUNTED_OPTIMIZED | COUNTED_AS_WRITTEN),
                                        LIMITED(kind, OBJECT_WORLD),
                                        LIMITED(haskell, 1)};
#undef T

#define T struct profile_function
static const struct column functions[] = {TEXT(name),
                                          OPTIONAL_TEXT(linkage),
                                          OPTIONAL_FILE(file),
                                          NUMBER(line),
                                          NUMBER_AS("source_column", column),
                                          NUMBER(end_line),
                                          NUMBER(end_column),
                                          OPTIONAL_ID(object, TABLE_OBJECTS),
                                          LIMITED(kind, FUNCTION_CUT),
                                          COLUMN("bodies", bodies, .kind = COLUMN_NUMBER,
                                                 .limit = BODY_OWN | BODY_INLINED,
                                                 .older = "copies"),
                                          LIMITED(exported, 1)};
#undef T

/* A cost centre. */
#define T struct profile_function
static const struct column centres[] = {
    TEXT(name),         TEXT_AS("module", linkage),         OPTIONAL_FILE(file),
    NUMBER(line),       NUMBER_AS("source_column", column), NUMBER(end_line),
    NUMBER(end_column), LIMITED(kind, FUNCTION_OVERFLOW)};
#undef T

#define T struct profile_transition
static const struct column centre_transitions[] = {
    ID_AS("from_context", from, TABLE_CENTRE_CONTEXTS),
    ID_AS("to_context", to, TABLE_CENTRE_CONTEXTS), NUMBER_AS("entries", count)};
#undef T

#define T struct profile_process
static const struct column processes[] = {ID(run, TABLE_RUNS),
                                          NUMBER(pid),
                                          NUMBER(parent_pid),
                                          NUMBER(sequence),
                                          TEXT(executable),
                                          TEXT(command),
                                          TEXT(directory),
                                          TEXT(host),
                                          NUMBER(started_ns),
                                          NUMBER(updated_ns),
                                          NUMBER_AS("user_ns", cpu_user_ns),
                                          NUMBER_AS("system_ns", cpu_system_ns),
                                          NUMBER(paused_user_ns),
                                          NUMBER(paused_system_ns),
                                          COLUMN("ending", end, .limit = PROCESS_END_RUNNING),
                                          LIMITED(end_signal, INT32_MAX),
                                          LIMITED(truncated, 1),
                                          RENAMED(hooks, "ways"),
                                          NUMBER(tick_source),
                                          NUMBER(tick_errno),
                                          NUMBER(tick_flags),
                                          NUMBER(hindrances),
                                          NUMBER(rate_hz),
                                          NUMBER(period_ns),
                                          NUMBER(handler_ns),
                                          NUMBER(threads_unsampled_ns),
                                          NUMBER(recorder_ns),
                                          NUMBER(unknown_ns),
                                          NUMBER(increments),
                                          RENAMED(hook_low_ps, "hook_ps"),
                                          RENAMED(hook_high_ps, "hook_ps"),
                                          NUMBER(slow_steps),
                                          NUMBER(rebuilds),
                                          NUMBER(overflow_calls),
                                          NUMBER(threads_started),
                                          NUMBER_AS("drop_0", drops[0]),
                                          NUMBER_AS("drop_1", drops[1]),
                                          NUMBER_AS("drop_2", drops[2]),
                                          NUMBER_AS("drop_3", drops[3]),
                                          NUMBER_AS("drop_4", drops[4]),
                                          NUMBER_AS("drop_5", drops[5]),
                                          NUMBER_AS("drop_6", drops[6]),
                                          NUMBER_AS("drop_7", drops[7]),
                                          NUMBER_AS("drop_8", drops[8]),
                                          NUMBER_AS("drop_9", drops[9]),
                                          NUMBER_AS("drop_10", drops[10]),
                                          COLUMN("heap_recorded", heap.recorded, .limit = 1),
                                          NUMBER_AS("heap_mean", heap.mean),
                                          NUMBER_AS("heap_allocations", heap.allocations),
                                          NUMBER_AS("heap_allocated", heap.allocated),
                                          NUMBER_AS("heap_frees", heap.frees),
                                          NUMBER_AS("heap_freed", heap.freed),
                                          NUMBER_AS("heap_unknown_frees", heap.unknown_frees),
                                          NUMBER_AS("heap_early_frees", heap.early_frees),
                                          NUMBER_AS("heap_dropped", heap.dropped),
                                          NUMBER_AS("heap_mappings_lost", heap.mappings_lost),
                                          NUMBER_AS("heap_stackless", heap.stackless),
                                          NUMBER_AS("heap_unnamed", heap.unnamed),
                                          NUMBER_AS("heap_peak", heap.peak),
                                          NUMBER_AS("heap_peak_ns", heap.peak_ns),
                                          NUMBER_AS("heap_peak_within", heap.peak_within),
                                          NUMBER(rank_number),
                                          NUMBER(ranks),
                                          OPTIONAL_TEXT(job),
                                          OPTIONAL_TEXT(clock),
                                          REAL_AS("cycle_ns", cycle_ns)};
#undef T

#define T struct profile_mark
static const struct column marks[] = {ID(process, TABLE_PROCESSES), NUMBER(time_ns), TEXT(text)};
#undef T

#define T struct profile_slice
static const struct column slices[] = {ID(process, TABLE_PROCESSES),
                                       NUMBER(start_ns),
                                       NUMBER(end_ns),
                                       NUMBER(cpu_ns),
                                       NUMBER(system_ns),
                                       NUMBER(resident_bytes)};
#undef T

#define T struct profile_metric
static const struct column metrics[] = {TEXT(name), OPTIONAL_TEXT(unit),
                                        LIMITED(kind, METRIC_MESSAGES),
                                        LIMITED(evidence, EVIDENCE_SIZED)};
#undef T

#define T struct profile_measure
static const struct column measures[] = {
    COLUMN("process", process, .kind = COLUMN_ID, .limit = TABLE_PROCESSES, .older = "id"),
    RENAMED(counted, "events_counted"),
    COLUMN("squares", squares, .kind = COLUMN_REAL, .older = "tick_squares"),
    AMOUNT("profiler_", profiler),
    AMOUNT("delivered_", delivered),
    REAL_AS("delivered_variance", delivered.variance)};
#undef T

#define T struct profile_thread
static const struct column threads[] = {ID(process, TABLE_PROCESSES),
                                        NUMBER(tid),
                                        NUMBER(owners),
                                        OPTIONAL_ID(start_function, TABLE_FUNCTIONS),
                                        OPTIONAL_ID(spawned_in, TABLE_CONTEXTS),
                                        NUMBER(ticks),
                                        NUMBER(lost),
                                        NUMBER(cpu_ns),
                                        NUMBER(unsampled_ns),
                                        TEXT(name)};
#undef T

#define T struct profile_expansion
static const struct column expansions[] = {OPTIONAL_ID(parent, TABLE_EXPANSIONS),
                                           OPTIONAL_ID(function, TABLE_FUNCTIONS),
                                           OPTIONAL_TEXT(macro),
                                           OPTIONAL_FILE_AS("defined_file", defined_in),
                                           NUMBER_AS("defined_line", defined_at),
                                           OPTIONAL_FILE(file),
                                           NUMBER(line),
                                           NUMBER_AS("source_column", column)};
#undef T

#define T struct profile_site
static const struct column sites[] = {OPTIONAL_ID(caller, TABLE_FUNCTIONS),
                                      ID(callee, TABLE_FUNCTIONS),
                                      OPTIONAL_ID(within, TABLE_FUNCTIONS),
                                      OPTIONAL_ID(object, TABLE_OBJECTS),
                                      NUMBER(offset),
                                      OPTIONAL_FILE(file),
                                      NUMBER(line),
                                      NUMBER_AS("source_column", column),
                                      LIMITED(tail, 1),
                                      LIMITED(in_doubt, 1),
                                      OPTIONAL_ID(expansion, TABLE_EXPANSIONS)};
#undef T

#define T struct profile_transition
static const struct column transitions[] = {ID_AS("from_context", from, TABLE_CONTEXTS),
                                            ID_AS("to_context", to, TABLE_CONTEXTS),
                                            ID(site, TABLE_SITES), NUMBER_AS("calls", count)};
#undef T

#define T struct profile_count
static const struct column counts[] = {ID(process, TABLE_PROCESSES), ID(site, TABLE_SITES),
                                       NUMBER(calls)};
#undef T

#define T struct profile_line
static const struct column lines[] = {ID(function, TABLE_FUNCTIONS), OPTIONAL_FILE(file),
                                      NUMBER(line)};
#undef T

#define T struct profile_stack
static const struct column stacks[] = {OPTIONAL_ID(parent, TABLE_STACKS),
                                       OPTIONAL_ID(line, TABLE_LINES)};
#undef T

#define T struct profile_tick
static const struct column ticks[] = {
    ID(context, TABLE_CONTEXTS),         ID(line, TABLE_LINES),
    OPTIONAL_ID(stack, TABLE_STACKS),    OPTIONAL_ID(centre, TABLE_CENTRE_CONTEXTS),
    OPTIONAL_ID(kind, TABLE_KINDS),      AMOUNT("", amount),
    REAL_AS("variance", amount.variance)};
#undef T

#define T struct profile_kind
static const struct column kinds[] = {OPTIONAL_TEXT(name), LIMITED(basis, KIND_THUNK),
                                      OPTIONAL_NUMBER(least), OPTIONAL_NUMBER(most)};
#undef T

#define T struct profile_instruction
static const struct column instructions[] = {ID(line, TABLE_LINES),
                                             NUMBER_AS("source_column", column),
                                             OPTIONAL_ID(object, TABLE_OBJECTS),
                                             NUMBER(offset),
                                             AMOUNT("self_", self),
                                             OPTIONAL_ID(within, TABLE_FUNCTIONS),
                                             OPTIONAL_ID(expansion, TABLE_EXPANSIONS),
                                             OPTIONAL_TEXT(clone)};
#undef T

#define T struct profile_slice_entries
static const struct column slice_entries[] = {
    ID(slice, TABLE_SLICES), ID(transition, TABLE_CENTRE_TRANSITIONS), NUMBER_AS("entries", count)};
#undef T

#define T struct profile_slice_tick
static const struct column series[] = {ID(slice, TABLE_SLICES), ID(tick, TABLE_TICKS),
                                       OPTIONAL_ID(instruction, TABLE_INSTRUCTIONS),
                                       AMOUNT("", amount), REAL_AS("variance", amount.variance)};
#undef T

#define T struct profile_expression
static const struct column expressions[] = {ID(function, TABLE_FUNCTIONS),
                                            IN_FILE(file),
                                            NUMBER(line),
                                            NUMBER_AS("source_column", column),
                                            NUMBER(end_line),
                                            NUMBER(end_column),
                                            NUMBER(way),
                                            LIMITED(kind, EXPRESSION_CASE),
                                            NUMBER(count),
                                            OPTIONAL_TEXT(label),
                                            NUMBER(label_line)};
#undef T

#define T struct profile_line_count
static const struct column line_counts[] = {
    IN_FILE(file), NUMBER(line),          ID(function, TABLE_FUNCTIONS), LIMITED(state, LINE_GONE),
    NUMBER(count), OPTIONAL_NUMBER(share)};
_Static_assert(LINE_NO_SHARE == UINT64_MAX, "no share is null");
#undef T

#define T struct profile_copy
static const struct column copies[] = {
    ID(expression, TABLE_EXPRESSIONS), ID(within, TABLE_FUNCTIONS),
    OPTIONAL_ID(expansion, TABLE_EXPANSIONS), OPTIONAL_TEXT(clone), OPTIONAL_NUMBER(count)};
_Static_assert(COPY_UNCOUNTED == UINT64_MAX, "no count is null");
#undef T

#define T struct profile_call_place
static const struct column call_places[] = {NUMBER(least), OPTIONAL_NUMBER(most)};
#undef T

#define T struct profile_possible_call
static const struct column possible_calls[] = {
    ID(place, TABLE_CALL_PLACES), OPTIONAL_ID(site, TABLE_SITES),
    OPTIONAL_NUMBER(fixed),       NUMBER(least),
    OPTIONAL_NUMBER(most),        NUMBER(estimate)};
#undef T

#define T struct profile_run
#define DROPPED(kind, key, one, several) NUMBER_AS("dropped_" #key, drops[DROP_##kind]),
static const struct column runs[] = {TEXT(version),
                                     TEXT(command),
                                     TEXT(directory),
                                     TEXT(host),
                                     NUMBER(started_ns),
                                     NUMBER(ended_ns),
                                     TEXT(hooks),
                                     TEXT(clock),
                                     NUMBER(rate_hz),
                                     NUMBER(ticks),
                                     NUMBER(lost_ticks),
                                     NUMBER(user_ns),
                                     NUMBER(system_ns),
                                     NUMBER(sampled_ns),
                                     NUMBER(kernel_ns),
                                     NUMBER(unsampled_ns),
                                     NUMBER(whole_ns),
                                     NUMBER(paused_ns),
                                     RENAMED(charged_low_ns, "charged_ns"),
                                     RENAMED(charged_high_ns, "charged_ns"),
                                     NUMBER(profiler_ns),
                                     NUMBER(handlers_ns),
                                     NUMBER(recorder_ns),
                                     RENAMED(hooks_low_ns, "hooks_ns"),
                                     RENAMED(hooks_high_ns, "hooks_ns"),
                                     NUMBER(dropped_ns),
                                     NUMBER(calls),
                                     DROP_NAMES(DROPPED)};
#undef DROPPED
#undef T

#define T struct profile_message
static const struct column messages[] = {ID(process, TABLE_PROCESSES),
                                         OPTIONAL_ID(line, TABLE_LINES),
                                         TEXT(call),
                                         LIMITED(kind, MPI_CALL_FILE),
                                         NUMBER(partner),
                                         NUMBER(calls),
                                         NUMBER(sent),
                                         NUMBER(sent_bytes),
                                         NUMBER(received),
                                         NUMBER(received_bytes),
                                         NUMBER(elapsed_ns),
                                         NUMBER(least_ns)};
#undef T

#define T struct profile_message_end
static const struct column message_ends[] = {ID(process, TABLE_PROCESSES),
                                             OPTIONAL_ID(line, TABLE_LINES),
                                             OPTIONAL_ID(wait_line, TABLE_LINES),
                                             LIMITED(call, MPI_CALL_NUMBERS - 1),
                                             LIMITED(wait_call, MPI_CALL_NUMBERS - 1),
                                             NUMBER(communicator),
                                             NUMBER(partner),
                                             NUMBER(tag),
                                             NUMBER(bytes),
                                             LIMITED(flags, END_KEPT),
                                             LIMITED(posted, CYCLES_MOST),
                                             LIMITED(wait_after, CYCLES_MOST),
                                             LIMITED(waited, CYCLES_MOST)};
#undef T

#define T struct profile_message_delay
static const struct column message_delays[] = {
    ID(process, TABLE_PROCESSES),
    OPTIONAL_ID(line, TABLE_LINES),
    OPTIONAL_ID(partner_line, TABLE_LINES),
    TEXT(call),
    TEXT(partner_call),
    NUMBER(partner),
    RENAMED_LIMITED(late_end, "sends", LATE_IN_COLLECTIVE),
    NUMBER(messages),
    NUMBER(unrelated),
    NUMBER(late),
    NUMBER(late_ns),
    NUMBER(late_uncertainty_ns),
    NUMBER(most_ns),
    NUMBER(clock_uncertainty_ns)};
#undef T

#define T struct profile_run_cost
static const struct column run_costs[] = {ID(run, TABLE_RUNS),
                                          ID(function, TABLE_FUNCTIONS),
                                          NUMBER(calls),
                                          NUMBER(self_ns),
                                          OPTIONAL_NUMBER(self_uncertainty_ns),
                                          NUMBER(total_ns),
                                          OPTIONAL_NUMBER(total_uncertainty_ns),
                                          LIMITED(total_known, 1)};
#undef T

#define T struct profile_spread
static const struct column spreads[] = {
    OPTIONAL_ID(function, TABLE_FUNCTIONS),
    OPTIONAL_ID(line, TABLE_LINES),
    OPTIONAL_ID(context, TABLE_CONTEXTS),
    NUMBER(runs),
    ID(most_run, TABLE_RUNS),
    NUMBER(sum),
    NUMBER(least),
    NUMBER(most),
    OPTIONAL_NUMBER(uncertainty),
    NUMBER_AS("squares_high", squares.high),
    NUMBER_AS("squares_low", squares.low),
    NUMBER_AS("uncertainty_squares_high", uncertainty_squares.high),
    NUMBER_AS("uncertainty_squares_low", uncertainty_squares.low)};
#undef T

#define T struct profile_spread_size
static const struct column spread_sizes[] = {ID(function, TABLE_FUNCTIONS), NUMBER(size),
                                             NUMBER(runs)};
#undef T

/* ---- the tables ---- */

#define ROWS_OF(T, columns_of, array_of, count_of)                                                 \
  .columns = (columns_of), .column_count = sizeof(columns_of) / sizeof *(columns_of),              \
  .element = sizeof *((T *)0)->array_of, .array = offsetof(T, array_of),                           \
  .count = offsetof(T, count_of)
#define ROWS(columns_of, array_of, count_of) ROWS_OF(struct profile, columns_of, array_of, count_of)
#define ROWS_OF_CENTRES(columns_of, array_of, count_of)                                            \
  .of_centres = true, .newer = true, ROWS(columns_of, array_of, count_of)
#define ROWS_OF_METRIC(columns_of, array_of, count_of)                                             \
  .of_metric = true, ROWS_OF(struct profile_metric, columns_of, array_of, count_of)

const struct table stored_tables[STORED_TABLES] = {
    [TABLE_FILES] = {"raw_files", true, .figures = "path TEXT NOT NULL"},
    [TABLE_OBJECTS] = {"raw_objects", true, ROWS(objects, objects, object_count)},
    [TABLE_FUNCTIONS] = {"raw_functions", true, ROWS(functions, functions, function_count),
                         .figures =
                             "calls INTEGER, recursive_calls INTEGER, self_ns INTEGER NOT NULL,"
                             " self_low_ns INTEGER, self_high_ns INTEGER,"
                             " self_ticks INTEGER NOT NULL, total_ns INTEGER,"
                             " total_low_ns INTEGER, total_high_ns INTEGER,"
                             " total_ticks INTEGER, hooks_low_ns INTEGER,"
                             " hooks_high_ns INTEGER, own BOOLEAN NOT NULL"},
    [TABLE_PROCESSES] = {"raw_processes", true, ROWS(processes, processes, process_count)},
    [TABLE_SLICES] = {"raw_slices", true, .newer = true, ROWS(slices, slices, slice_count)},
    [TABLE_MARKS] = {"raw_marks", true, .newer = true, ROWS(marks, marks, mark_count)},
    [TABLE_KINDS] = {"raw_kinds", true, .newer = true, ROWS(kinds, kinds, kind_count)},
    [TABLE_METRICS] = {"raw_metrics", true, ROWS(metrics, metrics, metric_count),
                       .figures = "sampled INTEGER NOT NULL, whole INTEGER NOT NULL,"
                                  " ticks INTEGER NOT NULL"},
    [TABLE_MEASURES] = {"raw_measures", ROWS_OF_METRIC(measures, measures, measure_count),
                        .older = {"raw_processes"}},
    [TABLE_THREADS] = {"raw_threads", true, ROWS(threads, threads, thread_count),
                       .figures = SELF ", spawners JSON TEXT"},
    [TABLE_CONTEXTS] = {"raw_contexts", true, .count = offsetof(struct profile, context_count),
                        .figures = "thread INTEGER NOT NULL, parent INTEGER, function INTEGER,"
                                   " depth INTEGER NOT NULL, calls INTEGER,"
                                   " recursive_calls INTEGER, self_ticks INTEGER NOT NULL,"
                                   " self_ns INTEGER NOT NULL,"
                                   " history JSON TEXT"},
    [TABLE_CENTRES] = {"raw_centres", true, ROWS_OF_CENTRES(centres, functions, function_count),
                       .figures = "entries INTEGER, recursive_entries INTEGER,"
                                  " self_ns INTEGER NOT NULL, self_low_ns INTEGER,"
                                  " self_high_ns INTEGER, self_ticks INTEGER NOT NULL,"
                                  " total_ns INTEGER, total_low_ns INTEGER,"
                                  " total_high_ns INTEGER, total_ticks INTEGER"},
    [TABLE_CENTRE_CONTEXTS] = {"raw_centre_contexts", true, .of_centres = true, .newer = true,
                               .count = offsetof(struct profile, context_count),
                               .figures = "thread INTEGER NOT NULL, parent INTEGER,"
                                          " centre INTEGER, depth INTEGER NOT NULL,"
                                          " entries INTEGER, recursive_entries INTEGER,"
                                          " self_ticks INTEGER NOT NULL,"
                                          " self_ns INTEGER NOT NULL, history JSON TEXT"},
    [TABLE_CENTRE_TRANSITIONS] = {"raw_centre_transitions",
                                  ROWS_OF_CENTRES(centre_transitions, transitions,
                                                  transition_count)},
    [TABLE_SLICE_ENTRIES] = {"raw_slice_entries",
                             ROWS_OF_CENTRES(slice_entries, slice_entries, slice_entry_count)},
    [TABLE_EXPANSIONS] = {"raw_expansions", true, ROWS(expansions, expansions, expansion_count),
                          .figures = "through TEXT NOT NULL"},
    [TABLE_SITES] = {"raw_sites", true, ROWS(sites, sites, site_count),
                     .figures = "calls INTEGER NOT NULL"},
    [TABLE_TRANSITIONS] = {"raw_transitions", ROWS(transitions, transitions, transition_count)},
    [TABLE_COUNTS] = {"raw_counts", ROWS(counts, counts, count_count)},
    [TABLE_LINES] = {"raw_lines", true, ROWS(lines, lines, line_count),
                     .figures =
                         SELF ", total_ticks INTEGER, total_ns INTEGER, total_low_ns INTEGER,"
                              " total_high_ns INTEGER"},
    [TABLE_STACKS] = {"raw_stacks", true, ROWS(stacks, stacks, stack_count)},
    [TABLE_TICKS] = {"raw_ticks", ROWS_OF_METRIC(ticks, ticks, tick_count),
                     .older = {"raw_ticks", "raw_waits"}},
    [TABLE_INSTRUCTIONS] = {"raw_instructions",
                            ROWS_OF_METRIC(instructions, instructions, instruction_count),
                            .older = {"raw_instructions", "raw_wait_instructions"},
                            .figures = "self_ns INTEGER NOT NULL"},
    [TABLE_SERIES] = {"raw_series", .newer = true, ROWS_OF_METRIC(series, series, series_count),
                      .figures = "self_ns INTEGER NOT NULL"},
    [TABLE_EXPRESSIONS] = {"raw_expressions", true,
                           ROWS(expressions, expressions, expression_count),
                           .figures = "self_ticks INTEGER, self_ns INTEGER, self_low_ns INTEGER,"
                                      " self_high_ns INTEGER"},
    [TABLE_LINE_COUNTS] = {"raw_line_counts", true,
                           ROWS(line_counts, line_counts, line_count_count)},
    [TABLE_COPIES] = {"raw_copies", ROWS(copies, copies, copy_count), .figures = SELF},
    [TABLE_CALL_PLACES] = {"raw_call_places", true,
                           ROWS(call_places, call_places, call_place_count)},
    [TABLE_POSSIBLE_CALLS] = {"raw_possible_calls",
                              ROWS(possible_calls, possible_calls, possible_call_count)},
    [TABLE_MESSAGES] = {"raw_messages", .newer = true, ROWS(messages, messages, message_count)},
    [TABLE_MESSAGE_ENDS] = {"raw_message_ends", .newer = true,
                            ROWS(message_ends, message_ends, message_end_count)},
    [TABLE_MESSAGE_DELAYS] = {"raw_message_delays", .newer = true,
                              ROWS(message_delays, message_delays, message_delay_count)},
    [TABLE_RUNS] = {"raw_runs", true, ROWS(runs, runs, run_count)},
    [TABLE_RUN_COSTS] = {"raw_run_costs", ROWS(run_costs, run_costs, run_cost_count)},
    [TABLE_SPREADS] = {"raw_spreads", .newer = true,
                       ROWS_OF_METRIC(spreads, spreads, spread_count)},
    [TABLE_SPREAD_SIZES] = {"raw_spread_sizes", .newer = true,
                            ROWS_OF_METRIC(spread_sizes, spread_sizes, spread_size_count)},
};

/* What is no array of a profile: its origin, figures that came with it, and what is worked out for
 * users alone. */
static const char others[] =
    "CREATE TABLE raw_arcs(caller INTEGER, callee INTEGER NOT NULL, calls INTEGER,"
    " tail_calls INTEGER NOT NULL, doubtful_calls INTEGER NOT NULL,"
    " out_self_ns INTEGER, out_child_ns INTEGER, in_self_ns INTEGER, in_child_ns INTEGER,"
    " out_low_ns INTEGER, out_high_ns INTEGER, in_low_ns INTEGER, in_high_ns INTEGER,"
    " in_ticks INTEGER, least_calls INTEGER, most_calls "
    "INTEGER);"
    "CREATE TABLE raw_unattributed(name TEXT NOT NULL, self_ns INTEGER NOT NULL,"
    " self_low_ns INTEGER, self_high_ns INTEGER, self_ticks INTEGER NOT NULL);"
    "CREATE TABLE raw_sources(path TEXT NOT NULL, text BLOB NOT NULL,"
    " newer INTEGER NOT NULL);"
    "CREATE TABLE raw_origin(format TEXT, note TEXT);"
    "CREATE TABLE raw_process_calls(process INTEGER PRIMARY KEY, calls INTEGER NOT NULL);"
    "CREATE TABLE raw_given_functions(function INTEGER PRIMARY KEY, calls INTEGER NOT NULL,"
    " recursive_calls INTEGER NOT NULL, self_ticks INTEGER NOT NULL,"
    " self_raw_ns INTEGER NOT NULL, total_ticks INTEGER NOT NULL, total_raw_ns INTEGER NOT NULL,"
    " total_known INTEGER NOT NULL);"
    "CREATE TABLE raw_given_arcs(caller INTEGER, callee INTEGER NOT NULL,"
    " calls INTEGER NOT NULL, ticks INTEGER NOT NULL, raw_ns INTEGER NOT NULL,"
    " known INTEGER NOT NULL, solved INTEGER NOT NULL, least_calls INTEGER NOT NULL,"
    " most_calls INTEGER);"
    "CREATE TABLE raw_given_lines(line INTEGER PRIMARY KEY, self_ticks INTEGER NOT NULL,"
    " self_raw_ns INTEGER NOT NULL);"
    "CREATE TABLE raw_call_lines(id INTEGER PRIMARY KEY, line INTEGER NOT NULL,"
    " callee INTEGER NOT NULL, total_ticks INTEGER NOT NULL, total_ns INTEGER NOT NULL,"
    " total_low_ns INTEGER, total_high_ns INTEGER);"
    "CREATE TABLE raw_site_times(site INTEGER PRIMARY KEY, call_line INTEGER NOT NULL);"
    "CREATE TABLE raw_source_lines(id INTEGER PRIMARY KEY, file INTEGER NOT NULL,"
    " line INTEGER NOT NULL, " SELF ", total_ticks INTEGER, total_ns INTEGER,"
    " total_low_ns INTEGER, total_high_ns INTEGER, calls INTEGER NOT NULL, state INTEGER,"
    " executions INTEGER);"
    "CREATE TABLE raw_wait_processes(process INTEGER PRIMARY KEY, lived_ns INTEGER NOT NULL,"
    " looked_ns INTEGER NOT NULL, ready_ns INTEGER NOT NULL, waited_ns INTEGER NOT NULL,"
    " unseen_errno INTEGER NOT NULL);"
    "CREATE TABLE raw_allocation_sites(id INTEGER PRIMARY KEY, line INTEGER NOT NULL," HEAP_COST
    ");"
    "CREATE TABLE raw_heap_kinds(id INTEGER PRIMARY KEY, kind INTEGER," HEAP_COST ");"
    "CREATE TABLE raw_pools(id INTEGER PRIMARY KEY, kind INTEGER," HEAP_COST ");"
    "CREATE TABLE raw_heap_sizes(id INTEGER PRIMARY KEY, kind INTEGER," HEAP_COST ");"
    /* Of metrics after the first. */
    "CREATE TABLE raw_metric_functions(metric INTEGER NOT NULL, function INTEGER NOT NULL,"
    " self_ns INTEGER NOT NULL, self_low_ns INTEGER, self_high_ns INTEGER,"
    " self_ticks INTEGER NOT NULL, total_ns INTEGER, total_low_ns INTEGER,"
    " total_high_ns INTEGER, total_ticks INTEGER, PRIMARY KEY(metric, function)) WITHOUT ROWID;"
    "CREATE TABLE raw_metric_centres(metric INTEGER NOT NULL, centre INTEGER NOT NULL,"
    " self_ns INTEGER NOT NULL, self_low_ns INTEGER, self_high_ns INTEGER,"
    " self_ticks INTEGER NOT NULL, total_ns INTEGER, total_low_ns INTEGER,"
    " total_high_ns INTEGER, total_ticks INTEGER, PRIMARY KEY(metric, centre)) WITHOUT ROWID;"
    "CREATE TABLE raw_metric_contexts(metric INTEGER NOT NULL, context INTEGER NOT NULL,"
    " self_ns INTEGER NOT NULL, self_ticks INTEGER NOT NULL, PRIMARY KEY(metric, context))"
    " WITHOUT ROWID;"
    "CREATE TABLE raw_metric_lines(metric INTEGER NOT NULL, line INTEGER NOT NULL,"
    " self_ns INTEGER NOT NULL, self_low_ns INTEGER, self_high_ns INTEGER,"
    " self_ticks INTEGER NOT NULL, total_ns INTEGER, total_low_ns INTEGER,"
    " total_high_ns INTEGER, total_ticks INTEGER, PRIMARY KEY(metric, line)) WITHOUT ROWID;"
    "CREATE TABLE raw_centre_functions(centre INTEGER, function INTEGER,"
    " self_ns INTEGER NOT NULL, self_low_ns INTEGER, self_high_ns INTEGER,"
    " self_ticks INTEGER NOT NULL);"
    "CREATE TABLE raw_ratio_totals(function INTEGER PRIMARY KEY, total_ns INTEGER NOT NULL);"
    "CREATE TABLE raw_ratio_calls(caller INTEGER, callee INTEGER, calls INTEGER NOT NULL,"
    " total_ns INTEGER NOT NULL, PRIMARY KEY(caller, callee)) WITHOUT ROWID;"
    "CREATE TABLE raw_cycles(id INTEGER PRIMARY KEY, functions INTEGER NOT NULL,"
    " calls INTEGER NOT NULL, ticks INTEGER NOT NULL);"
    "CREATE TABLE raw_cycle_functions(cycle INTEGER NOT NULL, position INTEGER NOT NULL,"
    " function INTEGER, PRIMARY KEY(cycle, position)) WITHOUT ROWID;";

static char *base_of(const struct table *table, struct profile *profile) {
  if (table->of_centres) return (char *)profile->centres;
  return table->of_metric ? (char *)&profile->metrics[profile->metric] : (char *)profile;
}

void **table_array(const struct table *table, struct profile *profile) {
  return (void **)(base_of(table, profile) + table->array);
}

size_t *table_count(const struct table *table, struct profile *profile) {
  return (size_t *)(base_of(table, profile) + table->count);
}

static const char *column_type(const struct column *column) {
  switch (column->kind) {
  case COLUMN_NUMBER:
    return column->bytes == sizeof(bool) ? "BOOLEAN NOT NULL" : "INTEGER NOT NULL";
  case COLUMN_ID:
  case COLUMN_FILE:
    return "INTEGER NOT NULL";
  case COLUMN_OPTIONAL_NUMBER:
  case COLUMN_OPTIONAL_ID:
  case COLUMN_OPTIONAL_FILE:
    return "INTEGER";
  case COLUMN_REAL:
    return "REAL NOT NULL";
  case COLUMN_TEXT:
    return "TEXT NOT NULL";
  case COLUMN_OPTIONAL_TEXT:
    return "TEXT";
  }
  return "";
}

static void append_table(sqlite3_str *sql, const struct table *table) {
  const char *between = "";
  sqlite3_str_appendf(sql, "CREATE TABLE %s(", table->name);
  if (table->numbered) sqlite3_str_appendall(sql, "id INTEGER PRIMARY KEY"), between = ", ";
  if (table->of_metric) sqlite3_str_appendall(sql, "metric INTEGER NOT NULL"), between = ", ";
  for (size_t i = 0; i < table->column_count; i++, between = ", ")
    sqlite3_str_appendf(sql, "%s%s %s", between, table->columns[i].name,
                        column_type(&table->columns[i]));
  if (table->figures) sqlite3_str_appendf(sql, "%s%s", between, table->figures);
  sqlite3_str_appendall(sql, ");");
}

static char *made;

static void make_sql(void) {
  sqlite3_str *sql = sqlite3_str_new(NULL);
  for (size_t i = 0; i < STORED_TABLES; i++)
    append_table(sql, &stored_tables[i]);
  sqlite3_str_appendall(sql, others);
  made = sqlite3_str_finish(sql);
  if (!made) memory_exhausted();
}

const char *tables_sql(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_sql);
  return made;
}
