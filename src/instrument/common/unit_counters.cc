// A unit's counters, its entry that says where they are, and the checksum that binds its
// description to its code (include/ascribe/hook.h).
#include "instrument/common/counted_unit.h"

#include <cinttypes>

#include "ascribe/counter_points.h"
#include "ascribe/hook.h"

namespace ascribe {
namespace {

uint64_t checksum_of(const counted_function &function, const std::vector<std::string> &texts) {
  uint64_t checksum = function.code;
  auto add = [&checksum](std::initializer_list<size_t> numbers) {
    for (size_t number : numbers)
      checksum = counter_checksum_add(checksum, number);
  };
  add({function.is_public, function.points.size(), function.flows.size(), function.origins.size(),
       function.ranges.size()});
  for (const counted_point &point : function.points)
    add({point.kind, point.flow, point.cell, text_hash(point.callee.c_str()), point.line,
         point.column});
  for (const counted_flow &flow : function.flows)
    add({flow.from, flow.to, flow.counter});
  for (const counted_origin &origin : function.origins)
    add({origin.parent, origin.line, origin.call_line, origin.call_column});
  for (const counted_range &range : function.ranges) {
    add({range.kind, range.origin, range.line, range.column, range.end_line, range.end_column});
    if (range.kind == RANGE_CASE) add({range.which, text_hash(texts[range.label].c_str())});
    for (size_t flow : range.flows)
      add({flow});
  }
  for (const counted_line &line : function.lines) {
    add({line.line, line.places.size(), line.steps.size()});
    for (size_t flow : line.places)
      add({flow});
    for (const counted_step &step : line.steps)
      add({step.from, step.to, step.flow});
  }
  return checksum;
}

// struct ascribe_unit's mask.
const char *mask_text(counting_way way) {
  static_assert(ASCRIBE_UNIT_DIRECT == 1 && ASCRIBE_UNIT_SEGMENT == 2, "these are written as text");
  if (way == COUNTS_IN_LIBRARY) return "0, 0";
  // Where a thread-local variable is, is known in executables only: no library can be linked with
  // it. One of the unit's own, which takes no room, for objcopy may make all symbols local.
  return way == COUNTS_BY_SEGMENT ? "2, .Lascribe_executable@tpoff" : "1, 0";
}

} // namespace

uint64_t text_hash(const char *text) {
  uint64_t hash = COUNTER_CHECKSUM_START;
  while (*text)
    hash = counter_checksum_add(hash, static_cast<unsigned char>(*text++));
  return hash;
}

uint64_t unit_checksum(const std::vector<counted_function> &functions,
                       const std::vector<std::string> &texts, size_t counters) {
  uint64_t checksum = counter_checksum_add(COUNTER_CHECKSUM_START, counters);
  for (const counted_function &function : functions)
    checksum = counter_checksum_add(checksum, checksum_of(function, texts));
  return checksum | COUNTER_CHECKSUM_MARK;
}

void write_counters(const counted_unit &unit, counting_way way, FILE *out) {
  fprintf(out,
          "\t.pushsection\t.tbss,\"awT\",@nobits\n"
          ".Lascribe_executable:\n"
          "\t.popsection\n"
          "\t.pushsection\tascribe_counts,\"aw\",@nobits\n"
          "\t.balign\t64\n"
          ".Lascribe_counters:\n"
          "\t.zero\t%zu\n"
          "\t.popsection\n"
          "\t.pushsection\tascribe_units,\"aw\",@progbits\n"
          "\t.balign\t32\n"
          ".Lascribe_unit:\n"
          "\t.quad\t.Lascribe_counters\n"
          "\t.long\t%s\n"
          "\t.quad\t%" PRIu64 ", 0\n"
          "\t.popsection\n",
          8 * unit.counters, mask_text(way), unit.checksum);
}

} // namespace ascribe
