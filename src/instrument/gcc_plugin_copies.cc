// Copies of code that GCC's optimisation makes within a function: of loops, of their headers and
// iterations, of what several ways lead to. All are made by one hook of GCC's flow graph.
//
// A copied block keeps which passes have copied it where it has its discriminator, a number that
// tells a line's blocks from each other in debug information, and which no pass looks at. Blocks
// that are merged have both's passes; so where a statement comes from is known by its location as
// well, which its copies share.
#include "gcc_plugin.h"

#include "cfghooks.h"
#include "context.h"
#include "tree-pass.h"

namespace ascribe {
namespace {

enum { COPIED = 1 << 24 }; // above all discriminators of GCC's own

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
std::map<std::pair<unsigned, location_t>, unsigned> locations; // by function

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

unsigned set_of(basic_block block) {
  return block->discriminator >= COPIED ? block->discriminator - COPIED : 0;
}

void note_set(basic_block block, unsigned set) {
  if (set) block->discriminator = COPIED + set;
}

basic_block (*duplicate_block)(basic_block, copy_bb_data *);
void (*merge_blocks)(basic_block, basic_block);

basic_block note_duplicate(basic_block block, copy_bb_data *data) {
  basic_block copy = duplicate_block(block, data);
  if (!current_pass || !cfun || !current_pass->name) return copy;
  std::string name = name_of(current_pass->name);
  note_set(copy, with(set_of(block), name));
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
    first->discriminator = second->discriminator;
  else if (!is_empty(second)) {
    pass_names both = sets[set_of(first)];
    both.insert(sets[set_of(second)].begin(), sets[set_of(second)].end());
    note_set(first, number_of(both));
  }
  merge_blocks(first, second);
}

} // namespace

void watch_copies() {
  duplicate_block = gimple_cfg_hooks.duplicate_block;
  merge_blocks = gimple_cfg_hooks.merge_blocks;
  gimple_cfg_hooks.duplicate_block = note_duplicate;
  gimple_cfg_hooks.merge_blocks = note_merged;
}

bool had_copies(function *fun, gimple *statement) {
  return locations.count({DECL_UID(fun->decl), LOCATION_LOCUS(gimple_location(statement))});
}

unsigned copied_by(function *fun, gimple *statement) {
  unsigned set = set_of(gimple_bb(statement));
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
  basic_block block;
  FOR_EACH_BB_FN(block, fun)
  if (set_of(block)) block->discriminator = 0;
}

} // namespace ascribe
