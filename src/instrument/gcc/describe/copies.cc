// Copies of code that GCC's optimisation makes within a function: of loops, of their headers and
// iterations, of what several ways lead to. All are made by one hook of GCC's flow graph.
//
// Which passes have copied a block is noted here, and follows it when it is split. Blocks that are
// merged have both's passes; so where a statement comes from is known by its location as well,
// which its copies share.
#include "instrument/gcc/describe/description.h"
#include "instrument/gcc/describe/source_parts.h"

#include "cfghooks.h"
#include "context.h"
#include "tree-pass.h"

namespace ascribe {
namespace {

// What passes do is said in words where these are common.
const struct {
  const char *pass, *name;
} names[] = {
    {"ch", "loop header copying"},       {"ch_vect", "loop header copying"},
    {"cunroll", "unrolling or peeling"}, {"cunrolli", "unrolling or peeling"},
    {"dom", "jump threading"},           {"ethread", "jump threading"},
    {"ifcvt", "if-conversion"},          {"isolate-paths", "path isolation"},
    {"ldist", "loop distribution"},      {"lsplit", "loop splitting"},
    {"lversion", "loop versioning"},     {"pcom", "predictive commoning"},
    {"split-paths", "path splitting"},   {"thread", "jump threading"},
    {"threadfull", "jump threading"},    {"tracer", "tail duplication"},
    {"unrolljam", "unroll and jam"},     {"unswitch", "loop unswitching"},
    {"vect", "vectorization"},
};

std::string name_of(const char *pass) {
  for (const auto &known : names)
    if (!strcmp(known.pass, pass)) return known.name;
  return pass;
}

typedef std::set<std::string> pass_names;
std::vector<pass_names> sets = {{}}; // by number; 0: none
std::map<pass_names, unsigned> numbers;
std::map<std::pair<unsigned, basic_block>, unsigned> blocks; // by function
std::map<std::pair<unsigned, location_t>, unsigned> locations;

unsigned number_of(const pass_names &set) {
  auto added = numbers.insert({set, sets.size()});
  if (set.empty()) return 0;
  if (added.second) sets.push_back(set);
  return added.first->second;
}

unsigned with(unsigned set, const std::string &name) {
  pass_names names = sets[set];
  names.insert(name);
  return number_of(names);
}

unsigned set_of(function *fun, basic_block block) {
  auto known = blocks.find({DECL_UID(fun->decl), block});
  return known == blocks.end() ? 0 : known->second;
}

void note_set(basic_block block, unsigned set) {
  if (set)
    blocks[{DECL_UID(cfun->decl), block}] = set;
  else
    blocks.erase({DECL_UID(cfun->decl), block});
}

cfg_hooks gccs_own;

// It may lie where one was that is gone.
basic_block note_created(void *head, void *end, basic_block after) {
  basic_block block = gccs_own.create_basic_block(head, end, after);
  note_set(block, 0);
  return block;
}

basic_block note_split(basic_block block, void *after) {
  basic_block rest = gccs_own.split_block(block, after);
  if (rest) note_set(rest, set_of(cfun, block));
  return rest;
}

basic_block note_duplicate(basic_block block, copy_bb_data *data) {
  basic_block copy = gccs_own.duplicate_block(block, data);
  if (!current_pass || !cfun || !current_pass->name) return copy;
  std::string name = name_of(current_pass->name);
  note_set(copy, with(set_of(cfun, block), name));
  for (gimple_stmt_iterator at = gsi_start_nondebug_bb(block); !gsi_end_p(at);
       gsi_next_nondebug(&at)) {
    location_t location = LOCATION_LOCUS(gimple_location(gsi_stmt(at)));
    unsigned &set = locations[{DECL_UID(cfun->decl), location}];
    set = with(set, name);
  }
  return copy;
}

bool is_empty(basic_block block) {
  return gsi_end_p(gsi_start_nondebug_bb(block));
}

void note_merged(basic_block first, basic_block second) {
  if (is_empty(first))
    note_set(first, set_of(cfun, second));
  else if (!is_empty(second)) {
    pass_names both = sets[set_of(cfun, first)];
    both.insert(sets[set_of(cfun, second)].begin(), sets[set_of(cfun, second)].end());
    note_set(first, number_of(both));
  }
  gccs_own.merge_blocks(first, second);
}

} // namespace

void watch_copies() {
  gccs_own = gimple_cfg_hooks;
  gimple_cfg_hooks.create_basic_block = note_created;
  gimple_cfg_hooks.split_block = note_split;
  gimple_cfg_hooks.duplicate_block = note_duplicate;
  gimple_cfg_hooks.merge_blocks = note_merged;
}

bool had_copies(function *fun, gimple *statement) {
  return locations.count({DECL_UID(fun->decl), LOCATION_LOCUS(gimple_location(statement))});
}

unsigned copied_by(function *fun, gimple *statement) {
  unsigned set = set_of(fun, gimple_bb(statement));
  if (!set) return 0;
  auto known = locations.find({DECL_UID(fun->decl), LOCATION_LOCUS(gimple_location(statement))});
  if (known == locations.end()) return 0;
  pass_names both;
  for (const std::string &name : sets[set])
    if (sets[known->second].count(name)) both.insert(name);
  return number_of(both);
}

unsigned copied_by_both(unsigned one, unsigned other) {
  pass_names both = sets[one];
  both.insert(sets[other].begin(), sets[other].end());
  return number_of(both);
}

size_t text_of_passes(unsigned set) {
  std::string joined;
  for (const std::string &name : sets[set])
    joined += (joined.empty() ? "" : ", ") + name;
  return text(joined.c_str());
}

void forget_copies(function *fun) {
  unsigned uid = DECL_UID(fun->decl);
  blocks.erase(blocks.lower_bound({uid, nullptr}), blocks.lower_bound({uid + 1, nullptr}));
}

} // namespace ascribe
