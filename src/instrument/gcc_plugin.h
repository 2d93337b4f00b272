// The GCC plugin: what its parts offer each other.
//
// The plugin has one GIMPLE pass.  It runs after all optimisation (and so after inlining) and
// gives every chosen function the hooks that include/ascribe/hook.h describes: an entry and exits
// that keep the context, or counters.  Where the source's own executions are to be counted, another
// pass puts in counters before optimisation begins.
// GCC is single-threaded; trees that live from one function to the next are collector roots.
#ifndef ASCRIBE_INSTRUMENT_GCC_PLUGIN_H
#define ASCRIBE_INSTRUMENT_GCC_PLUGIN_H

#include <map>
#include <set>
#include <string>
#include <vector>

// GCC's own headers, in the only order in which they compile.
#include "gcc-plugin.h"

#include "tree.h"

#include "gimple.h"

#include "basic-block.h"
#include "cgraph.h"
#include "function.h"
#include "gimple-iterator.h"
#include "ssa.h"
#include "stringpool.h"
#include "tree-cfg.h"

#include "instrument/gcc/location.h"

#include "instrument/gcc/compat.h"

namespace ascribe {

typedef std::set<basic_block> block_set;

// What the compile command asked for (-fplugin-arg-ascribe_gcc_plugin-KEY=VALUE).
struct options {
  std::vector<std::string> only;   // patterns; empty: everything
  std::vector<std::string> skip;   // patterns
  std::set<std::string> switchers; // functions that may return on another stack
  unsigned leaf_statements = 0;    // leaf functions with at most this many are not instrumented
  bool counts = false;             // counters, no contexts
  bool blocks = false;             // how often each block was executed is to be known, too
  bool source = false;             // counters before optimisation: what the source executes
  bool all_counters = false;       // one at each edge, to check what is else derived
  bool without_gs = false;         // the program needs %gs for itself
  bool clock = false;              // read the cycle counter at every change of context
  bool report = false;             // name every instrumented function on stderr
};
extern options asked;

// gcc_plugin_choice.cc: is this function to be instrumented?
bool chosen(function *fun);
// The same before its text is known: of leaves that may be too small for it, this says yes.
bool chosen_by_name(tree decl);
// Are the source's own executions counted in this unit? Not with link-time optimisation, which
// takes functions to other units, but leaves behind what is said of them.
bool counts_source();
// Called once, while the call graph is whole: calls go from it as functions are compiled.
void find_resolvers();
// Is it the resolver of an ifunc, and are functions called there that may have hooks?
bool resolver_calls_out(function *fun);

// gcc_plugin_pieces.cc: is this a piece that GCC cut out of a function (f.part.0)?
bool is_piece(tree decl);
// Does the function go on there in a piece of its own that has hooks?
bool goes_on_in_piece(function *fun, gimple *statement);

// gcc_plugin_contract.cc: the types and symbols of hook.h as trees.
struct contract {
  tree cell_type, cell_context, cell_gate; // struct ascribe_cell and two of its fields
  tree gate_type, gate_mask, gate_table, gate_owner;
  tree slot_type, slot_from, slot_to, slot_callee, slot_site, slot_count;
  tree cell;           // the thread-local variable ascribe_cell
  tree return_address; // __builtin_return_address
};
const contract &the_contract();
extern const struct ggc_root_tab contract_roots[];

// Does this unit's code go into shared libraries, so that the cell needs the initial-exec model?
bool for_shared_library();
// Are its counters found by the segment register %gs?  Else by a thread-local word.
bool counts_by_segment();

// Statements that write `context` to cell.context; no optimisation removes or reorders them.
// With asked.clock the time since the last change is charged first.  `offset`: of the cell, where
// it is at hand.
gimple_seq store_context(tree context, tree offset = NULL_TREE);

// gcc_plugin_appender.cc: appends statements to a block.
class appender {
public:
  explicit appender(basic_block block) : block(block) {}
  void add(gimple *statement);
  void add_sequence(gimple_seq sequence);
  tree load(tree type, tree reference);                // a new name for its value
  tree compute(tree_code code, tree left, tree right); // unsigned, 64 bits
  tree widen(tree value);                              // to that type

private:
  basic_block block;
};

// gcc_plugin_x86_64.cc: what GIMPLE cannot say, as asm statements of one machine.
// value & memory and value + memory, each as one instruction, in this order.
tree and_memory(appender &at, tree value, tree memory);
tree add_memory(appender &at, tree value, tree memory);
// The same value, of which GCC knows nothing.
tree opaque(appender &at, tree value);
// ++memory that no signal can interrupt.
void increment(appender &at, tree memory);
// ascribe_enter_slow, keeping all registers; the own context.
tree call_slow(appender &at, tree callee, tree site);
// ascribe_read_clock, keeping all registers.
gimple *read_clock();
// Gives the thread's cell the inert gate, if it has none and there is thread-local storage.
gimple *give_gate();
// In a shared library: the cell's offset from the thread pointer, out of the GOT; what is there, in
// 64 bits; cell.context = context, with the offset at hand (null: loaded anew).
tree cell_offset(appender &at);
tree load_context_at(appender &at, tree offset);
tree load_gate_at(appender &at, tree offset);
gimple *store_context_at(tree offset, tree context);
// In a shared library with counters: the unit's mask, 0 if it was not taken over; else the gate.
tree load_unit_mask(appender &at);
tree load_gate_as_told(appender &at);

// A counter of the unit, by its index, and where it can be reached from.
struct counter_place {
  size_t counter;
  tree base;   // the address of another one, in a register, or null
  size_t from; // its index
};
// ++ in the calling thread's area.
gimple *count(const counter_place &place);
// The address of a counter of the unit, as that is without the runtime.
tree counter_address(appender &at, size_t counter);
tree load_base(size_t counter, gasm **statement); // the same, in `statement`
// In a library: the counter of the unit that holds a callee, the same for all threads; and its
// value after it was given this one, if it had none.
tree load_cell(appender &at, size_t counter);
tree claim_cell(appender &at, tree callee, size_t counter);
// Counts a callee that is not the cell's, in executables: ascribe_count_callee. A function that is
// left by a jump to its callee may keep variables below the stack pointer.
gimple *count_other_callee(tree callee, const counter_place &cell, bool keeps_red_zone);
// Counts the cell's callee and others, in code that counts by segment: ascribe_count_call.
gimple *count_call(tree callee, const counter_place &cell, bool keeps_red_zone);

// gcc_plugin_callee.cc: the address of the function by a symbol of its own object, .Lascribe_f<N>.
tree callee_address(function *fun);
// A symbol of this object that the assembler knows by this name.
tree local_symbol(const char *name, tree type);
size_t callee_label(function *fun);
void emit_callee_symbols();
bool any_callee();

// gcc_plugin_probe.cc: a transition looked up and counted, in new blocks on an edge.
tree u64(uint64_t value);
basic_block make_rare_block(basic_block after, basic_block join);
tree cell_field(tree field);
tree load_gate(appender &at, tree offset); // `offset` as cell_offset says
struct key {
  tree context, callee, site; // 64 bits each
  tree gate;                  // the thread's, as an integer
};
class probe {
public:
  explicit probe(edge where);
  // The context that the transition leads to, or `standby` if nothing is recorded; `context` is
  // k.context in 32 bits. Statements that make these go to the end of `from` before; those that use
  // the result to `join`.
  tree look_up(const key &k, tree context, tree standby);
  basic_block from, join;

private:
  basic_block callee, site, hit, miss, slow;
};

// gcc_plugin_entry.cc: what the entry leaves for the exits, as SSA names.
struct contexts {
  tree caller; // the context to restore
  tree own;
};
contexts insert_entry(function *fun);

// gcc_plugin_points.cc: where control leaves the function or comes back to it.
struct points {
  std::vector<gimple *> leaves;        // returns, kept tail calls, RESX out of the function
  std::vector<gimple *> goes_on;       // other calls of a piece of its own, where it goes on
  std::vector<gimple *> comes_back;    // calls that may return a second time or elsewhere
  std::vector<basic_block> arrivals;   // landing pads and non-local labels
  std::vector<gimple *> throws_across; // may throw, and nothing here would notice
};
points find_points(function *fun);

// gcc_plugin_sibling.cc: is the call in tail position, and will it be a jump?  One that cannot be
// loses its mark.
bool becomes_jump(function *fun, gcall *call);

// gcc_plugin_exits.cc: restore the caller's context and the own one at those points.
void insert_exits(function *fun, const points &where, const contexts &known);

// gcc_plugin_estimates.cc: how often blocks are executed, and ways between them taken, each time
// that the function is entered, before GCC has estimates. Ways back are marked.
struct flow_estimates {
  std::vector<double> blocks; // by index
  std::map<edge, double> ways;
};
flow_estimates estimate_flow(function *fun);

// gcc_plugin_flow.cc: the flow graph of a function.
struct flow_edge {
  enum { ENTRY, PIECE, WAY } kind; // into the function; straight through code; from block to block
  size_t from, to;                 // nodes
  double frequency;                // of an entry: 1
  gimple *after = nullptr; // of a piece: the statement it begins behind; null: the block's first
  edge way = nullptr;      // of the others
  basic_block block = nullptr;           // of a piece
  std::vector<gcall *> calls = {};       // of a piece: those that are counted
  std::vector<gimple *> statements = {}; // of a piece: all
  bool wanted = false;                   // it is to be known how much flows here
  bool behind_jump = false; // of the return that a jump stands for: a counter would miss the jump
  bool counted = false;     // there is a counter here; else that follows from the others
};
struct flow_graph {
  std::vector<size_t> nodes;    // those that are one have one representative
  std::vector<flow_edge> edges; // the entry comes first
  size_t add_node();
  size_t node(size_t node);            // its representative
  bool join(size_t one, size_t other); // they are one now; false: they were
};
// How often it is executed each time that the function is entered; `block`: where it is.
double estimated_frequency(function *fun, profile_count count, basic_block block);
// Pieces end at every call that is counted, or only where control may be lost.
flow_graph build_flow_graph(function *fun, bool at_every_call);

// gcc_plugin_placement.cc: what is to be counted in a function, and by which counters.
bool is_counted_call(gimple *statement);
flow_graph place_counters(function *fun);
// Called once, as find_resolvers.
void find_callers();

// gcc_plugin_libc.cc
bool is_of_libc(tree callee);

// gcc_plugin_counts.cc: the counters of a function.
void insert_counts(function *fun);
gcall *first_call_by_name(const flow_edge &piece); // or null
bool is_counted_out_of_line(gcall *call);          // one through a pointer

// gcc_plugin_bases.cc: the counters of flow edges that have one, and the first of the two that
// calls through pointers have, by their address. Puts in what loads the bases.
using counter_places = std::map<const void *, counter_place>;
counter_places number_counters(function *fun, const flow_graph &graph);

// gcc_plugin_expressions.cc: which source the pieces came from; before there are counters.
struct counted_function;
struct counted_range;
void describe_expressions(const flow_graph &graph, counted_function &counted);
counted_range describe_range(location_t start, location_t finish, unsigned kind, size_t origin);

// gcc_plugin_origins.cc: through which calls and macros code came to where it stands, as numbers of
// origins of the function.
size_t inlined_origin(counted_function &counted, location_t location);
// Where text stands that macros may have made: in the file as far as it was written there as a
// whole, in the definition of a macro else.
struct written_text {
  location_t start, finish;    // plain ones
  const line_map_macro *macro; // the expansion whose text it is, or null
};
written_text text_written(location_t start, location_t finish);
size_t macro_origin(counted_function &counted, size_t inlined, const line_map_macro *macro);

// gcc_plugin_gone.cc: ranges that optimisation left nothing of. Each function is noted before it
// has a flow graph; what is left of ranges and of calls (by their own location) when it is
// compiled.
void note_written(function *fun);
void note_left(location_t location);
void note_call_left(location_t call);
void note_left_uncounted(function *fun);
void describe_gone(std::vector<counted_function> &counted);

// gcc_plugin_loops.cc: loops that the function has after optimisation.
struct counted_loop {
  location_t condition; // of going on with it; 0: not known
  // All of them together.
  std::vector<edge> entries;
  std::vector<edge> trips; // ways into its body; empty: as often as its first block
  basic_block first;
  std::vector<basic_block> body;
};
std::vector<counted_loop> find_loops(function *fun);

// gcc_plugin_conditions.cc: whether a condition holds when the one that was written does. Those are
// noted before the function has a flow graph.
enum condition_sense { SENSE_UNKNOWN, AS_WRITTEN, TURNED_ROUND };
void note_conditions(function *fun);
condition_sense sense_of(gcond *condition);

// gcc_plugin_switches.cc: which values of a `switch` lead where.
struct counted_case {
  std::vector<std::string> values;
  std::string other;      // "default", if it is all other values (too); else empty
  location_t place;       // of the label, or 0
  std::vector<edge> ways; // together as often as it was chosen
};
struct counted_switch {
  location_t location, place;      // of its statement; where that is written
  std::vector<counted_case> cases; // empty: not known
  std::set<gimple *> statements;   // that it consists of
};
// As the front end made the function; then, before it has a flow graph, what GCC lost of that.
void note_written_switches(void *function, void *);
void place_switches(function *fun);
// Before switches are lowered, where the first time counts; and when the function is counted.
void note_switches(function *fun);
std::vector<counted_switch> find_switches(function *fun);
// Those that share a way, and those of one text, are one; what has no way is left out.
std::vector<counted_case> united(const std::vector<counted_case> &cases);
std::string case_text(const counted_case &one);

// gcc_plugin_copies.cc: which passes copied a statement within its function, as number of a set of
// their names; 0: none is known. Copies are seen from here on; those of a function are known until
// they are forgotten.
void watch_copies();
unsigned copied_by(function *fun, gimple *statement);
bool had_copies(function *fun, gimple *statement); // ever
unsigned copied_by_both(unsigned one, unsigned other);
size_t text_of_passes(unsigned set); // "loop unswitching, vectorization"
void forget_copies(function *fun);

// gcc_plugin_blocks.cc: the blocks that copies are told apart by. The number of one, from 1 on, in
// which a copy is that passes made (0: an original), with its family; and where they are, once all
// have numbers, which are their discriminators then.
size_t block_number(counted_function &counted, basic_block block, unsigned passes, size_t family);
void describe_blocks(function *fun, const std::vector<counted_loop> &loops,
                     counted_function &counted);

// gcc_plugin_dominators.cc: which nodes of a graph control has to pass on its way to others.
class dominators {
public:
  // `next`: of each node, where control may go from it; it begins at any of the entries.
  dominators(const std::vector<std::vector<size_t>> &next, const std::vector<size_t> &entries);
  bool dominates(size_t one, size_t other) const; // false, if control never gets to one of them
  // In an order in which each comes behind those that dominate it, and those that it dominates come
  // right behind it.
  std::vector<size_t> sorted(std::vector<size_t> nodes) const;
  // Does control that comes to `other`, which `one` dominates, pass `one` before it comes again?
  bool always_between(size_t one, size_t other);

private:
  std::vector<std::vector<size_t>> from;
  std::vector<size_t> order, position, parents;
  std::vector<size_t> begin, end; // by node
  std::vector<size_t> met;        // by node: the last search that met it
  size_t searches = 0;

  void find_order(const std::vector<std::vector<size_t>> &next, const std::vector<size_t> &entries);
  void find_parents(const std::vector<size_t> &entries);
  size_t common(size_t one, size_t other) const;
  void find_intervals();
};

// gcc_plugin_lines.cc: how often lines were executed follows from which pieces.
void describe_lines(function *fun, const flow_graph &graph, counted_function &counted);

// gcc_plugin_source.cc: counters in all functions of the unit, before they are optimised; and
// whether a function's code is among that.
void count_source();
bool counts_in_source(cgraph_node *node);

// gcc_plugin_descriptions.cc: what the unit counts, and its counters.
struct counted_point {
  unsigned kind;      // enum point_kind
  size_t flow;        // index in the function's
  size_t cell;        // of a call through a pointer: its first counter
  std::string callee; // assembler name, or empty
  size_t name, file;  // numbers of texts
  unsigned line, column;
  size_t origin; // as of a counted_range
};
struct counted_flow {
  size_t from, to, counter; // as in the section
};
struct counted_origin { // a function that was inlined, a macro that was expanded
  unsigned kind;        // enum origin_kind
  size_t parent;        // number of what it stands in, 0: the function itself
  size_t name, file;    // of the definition
  unsigned line;
  size_t call_file;
  unsigned call_line, call_column;
};
struct counted_range {
  unsigned kind;
  size_t origin; // 0, or number of a counted_origin
  size_t file;
  unsigned line, column, end_line, end_column;
  std::vector<size_t> flows;  // that add up to its count
  std::vector<size_t> blocks; // of each flow, the number of its block; empty: not told apart
  // Of a RANGE_CASE: of which switch, from 0, where several have the range; its text, or 0: it is
  // not known which way these executions went; the line of the label, or 0.
  size_t which, label;
  unsigned label_line;
};
struct counted_block { // that copies of code are in
  basic_block block;
  unsigned passes;  // that copied code there
  size_t family;    // of the first code that it has a copy of
  size_t loop;      // around it, from 1 on; 0: none
  size_t loop_file; // 0: it is not known where that stands
  unsigned loop_line;
  size_t vectors, by, where; // texts, or 0
};
struct counted_step { // from one place of a line to another
  size_t from, to;    // indices of places
  size_t flow;
};
struct counted_line {
  size_t file;
  unsigned line;
  std::vector<size_t> places; // flows
  std::vector<counted_step> steps;
};
struct counted_function {
  std::string symbol; // assembler name
  size_t label;       // callee_label, after optimisation
  size_t name;
  size_t file; // of its definition
  unsigned line;
  bool is_public;
  bool from_source;               // counted before optimisation
  bool lacks_source;              // all of its pieces are known, but not where they come from
  uint64_t code;                  // checksum of its name and statements
  std::map<size_t, size_t> nodes; // their numbers in the section
  std::vector<counted_flow> flows;
  std::vector<counted_point> points;
  std::vector<counted_origin> origins;                          // the first is number 1
  std::map<const void *, size_t> scopes;                        // inlined ones that have numbers
  std::map<std::pair<size_t, const void *>, size_t> expansions; // macros, in what was inlined
  std::vector<counted_range> ranges;
  std::vector<counted_block> blocks; // the first is number 1
  std::map<basic_block, size_t> block_numbers;
  std::vector<std::vector<basic_block>> families; // the blocks that have copies of the same code
  std::vector<counted_line> lines;
};
size_t text(const char *string);    // its number; 0: none
size_t path_text(const char *path); // as debug information has it (-ffile-prefix-map)
const char *linkage_name(tree decl);
counted_function describe_function(function *fun);
void add_code(counted_function &function, const flow_graph &graph); // to its checksum
void add_flow(counted_function &function, size_t from, size_t to, size_t counter);
void add_point(counted_function &function, unsigned kind, gcall *call, size_t flow, size_t cell);
size_t next_counter();
size_t new_counters(size_t count); // the first of them, next_counter()
void keep_description(const counted_function &function);
bool any_description();
void emit_descriptions();

// gcc_plugin_section.cc: the same, written.
struct counted_unit {
  const std::vector<counted_function> &functions;
  const std::vector<std::string> &texts;
  size_t directory; // a text: where relative paths begin
  size_t counters;
  uint64_t checksum;
};
void emit_section(const counted_unit &unit);

// gcc_plugin_gs.cc: an error where the program uses %gs itself.
void refuse_use_of_gs(function *fun);

// gcc_plugin_inert.cc: the weak inert definitions at the end of the unit.
void emit_inert_definitions();

} // namespace ascribe

#endif
