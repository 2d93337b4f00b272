// Code that the source has and the program has not: what optimisation left nothing of.
//
// What was written is noted before the flow graph is made, where even code that is never reached is
// still there; what is left, when ranges are described. A call that was inlined is left as long as
// code of its callee is. Nothing is known with link-time optimisation, where these are two
// compilations, and where some functions are not to be counted.
#include "instrument/gcc/describe/description.h"
#include "instrument/gcc/describe/source_parts.h"

#include "attribs.h"

#include "ascribe/counter_points.h"

namespace ascribe {
namespace {

struct written_function {
  std::string name, file;
  unsigned line;
};

struct written_range {
  size_t function;
  bool call;
  location_t place, start, finish; // none of them virtual
};

std::vector<written_function> written_functions;
std::vector<written_range> ranges;
std::set<std::pair<location_t, location_t>> left;
std::set<location_t> calls_left;

location_t start_of(location_t location) {
  return get_start(expanded(get_start(location)));
}

location_t finish_of(location_t location) {
  return get_finish(expanded(get_finish(location)));
}

location_t place_of(location_t location) {
  return pure(expanded(location));
}

bool is_code(gimple *statement) {
  switch (gimple_code(statement)) {
  case GIMPLE_ASSIGN:
    return !gimple_clobber_p(statement);
  case GIMPLE_CALL:
    return !gimple_call_internal_p(statement);
  case GIMPLE_COND:
  case GIMPLE_SWITCH:
  case GIMPLE_ASM:
    return true;
  default:
    return false;
  }
}

void note_statement(size_t function, gimple *statement) {
  location_t location = gimple_location(statement);
  if (!is_code(statement) || !is_known(location)) return;
  if (in_system_header_at(location)) return;
  ranges.push_back({function, is_gimple_call(statement), place_of(location), start_of(location),
                    finish_of(location)});
}

bool is_gone(const written_range &range) {
  return !left.count({range.start, range.finish});
}

void note_calls_left() {
  for (const written_range &range : ranges)
    if (range.call && calls_left.count(range.place)) left.insert({range.start, range.finish});
}

// The unit's function that has this code, as far as it is there; else the first.
class holders {
public:
  explicit holders(std::vector<counted_function> &counted) : counted(counted) {
    for (size_t i = 0; i < counted.size(); i++)
      by_name.insert({counted[i].name, i});
  }
  counted_function &of(const written_function &function) {
    auto own = by_name.find(text(function.name.c_str()));
    return own == by_name.end() ? counted.front() : counted[own->second];
  }

private:
  std::vector<counted_function> &counted;
  std::map<size_t, size_t> by_name;
};

size_t origin_in(counted_function &holder, const written_function &function,
                 std::map<const written_function *, size_t> &known) {
  size_t name = text(function.name.c_str());
  if (holder.name == name) return 0;
  size_t &number = known[&function];
  if (number) return number;
  counted_origin origin = {};
  origin.kind = ORIGIN_GONE;
  origin.name = name;
  origin.file = path_text(function.file.c_str());
  origin.line = function.line;
  holder.origins.push_back(origin);
  return number = holder.origins.size();
}

} // namespace

void note_written(function *fun) {
  if (debug_info_level == DINFO_LEVEL_NONE || !asked.only.empty() || !asked.skip.empty() ||
      asked.leaf_statements)
    return;
  if (lookup_attribute("no_instrument_function", DECL_ATTRIBUTES(fun->decl))) return;
  written_functions.push_back({linkage_name(fun->decl), DECL_SOURCE_FILE(fun->decl),
                               static_cast<unsigned>(DECL_SOURCE_LINE(fun->decl))});
  gimple_seq body = gimple_body(fun->decl);
  for (gimple_stmt_iterator at = gsi_start(body); !gsi_end_p(at); gsi_next(&at))
    note_statement(written_functions.size() - 1, gsi_stmt(at));
}

void note_left(location_t location) {
  left.insert({start_of(location), finish_of(location)});
}

void note_call_left(location_t call) {
  calls_left.insert(place_of(call));
}

void note_left_uncounted(function *fun) {
  basic_block block;
  FOR_EACH_BB_FN(block, fun)
    for (gimple_stmt_iterator at = gsi_start_nondebug_bb(block); !gsi_end_p(at);
         gsi_next_nondebug(&at))
      if (is_known(gimple_location(gsi_stmt(at)))) note_left(gimple_location(gsi_stmt(at)));
}

void describe_gone(std::vector<counted_function> &counted) {
  std::set<std::pair<location_t, location_t>> described;
  std::map<const written_function *, size_t> known;
  holders all(counted);
  note_calls_left();
  for (const written_range &range : ranges) {
    if (counted.empty() || !is_gone(range)) continue;
    if (!described.insert({range.start, range.finish}).second) continue;
    const written_function &function = written_functions[range.function];
    counted_function &holder = all.of(function);
    size_t origin = origin_in(holder, function, known);
    counted_range gone = describe_range(range.start, range.finish, RANGE_GONE, origin);
    if (gone.file && gone.line) holder.ranges.push_back(gone);
  }
}

} // namespace ascribe
