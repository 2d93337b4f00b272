// The section that says what was counted where (docs/FORMATS.md), for whoever reads the counters.
//
// It is named like debug information: linkers then take references into what they leave out for
// zeros, and strip and objcopy move it to where debug information goes.
#include "instrument/common/counted_unit.h"

#include <array>
#include <cinttypes>

#include "ascribe/counter_points.h"

namespace ascribe {
namespace {

// Numbers of variable length, as DWARF has them, and names.
class stream {
public:
  void number(uint64_t value) {
    for (; value > 0x7f; value >>= 7)
      bytes += static_cast<char>(value | 0x80);
    bytes += static_cast<char>(value);
  }
  // From the number that was here before, in 32 bits, with a sign; that becomes this one.
  void difference(size_t value, uint32_t &before) {
    int32_t left = static_cast<uint32_t>(value) - before;
    for (; left < -0x40 || left > 0x3f; left >>= 7)
      bytes += static_cast<char>(left | 0x80);
    bytes += static_cast<char>(left & 0x7f);
    before = value;
  }
  void name(const std::string &text) { bytes.append(text.c_str(), text.size() + 1); }
  void append(const stream &other) { bytes += other.bytes; }
  size_t size() const { return bytes.size(); }

  void emit(FILE *out) const {
    for (size_t i = 0; i < bytes.size(); i++) {
      unsigned char byte = bytes[i];
      if (i % 64 == 0) fputs(i ? "\"\n\t.ascii\t\"" : "\t.ascii\t\"", out);
      if (byte < ' ' || byte > '~' || byte == '"' || byte == '\\')
        fprintf(out, "\\%03o", byte);
      else
        fputc(byte, out);
    }
    if (!bytes.empty()) fputs("\"\n", out);
  }

private:
  std::string bytes;
};

// Things of the unit that several functions name, each once, from 0 on.
template <typename thing> class table {
public:
  size_t number_of(const thing &one) {
    auto known = numbers.insert({one, all.size()});
    if (known.second) all.push_back(one);
    return known.first->second;
  }
  std::vector<thing> all;

private:
  std::map<thing, size_t> numbers;
};

typedef std::array<size_t, 2> callee;     // name, and its number among the unit's functions or 0
typedef std::array<size_t, 4> definition; // kind of origin, name, file, line

class writer {
public:
  writer(const counted_unit &unit, const unit_symbols &symbols, FILE *out)
      : unit(unit), symbols(symbols), out(out) {
    for (const counted_function &function : unit.functions)
      numbers.insert({function.symbol, numbers.size() + 1});
  }

  void write() {
    std::vector<stream> functions;
    for (const counted_function &function : unit.functions)
      functions.push_back(written(function));
    stream tables;
    write_tables(tables);
    fprintf(out,
            "\t.pushsection\t" COUNTER_POINTS_SECTION ",\"\",@progbits\n"
            "\t.balign\t8\n"
            ".Lascribe_points:\n"
            "\t.long\t%u, .Lascribe_points_end-.Lascribe_points\n"
            "\t.quad\t.Lascribe_counters, %" PRIu64 "\n",
            COUNTER_POINTS_MAGIC, unit.checksum);
    tables.emit(out);
    for (size_t i = 0; i < functions.size(); i++) {
      emit_address(i);
      functions[i].emit(out);
    }
    fputs("\t.balign\t8\n"
          ".Lascribe_points_end:\n"
          "\t.popsection\n",
          out);
  }

private:
  const counted_unit &unit;
  const unit_symbols &symbols;
  FILE *out;
  std::map<std::string, size_t> numbers; // of functions by assembler name, from 1 on
  table<callee> callees;
  table<definition> definitions;

  // 0: another unit's. An alias is what it stands for.
  size_t number_of(const std::string &symbol) {
    auto found = numbers.find(symbol);
    if (found == numbers.end()) found = numbers.find(symbols.meaning(symbol));
    return found == numbers.end() ? 0 : found->second;
  }

  void write_tables(stream &out) {
    out.number(unit.counters);
    out.number(unit.texts.size());
    for (const std::string &text : unit.texts)
      out.name(text);
    out.number(unit.directory);
    out.number(callees.all.size());
    for (const callee &one : callees.all)
      for (size_t field : one)
        out.number(field);
    out.number(definitions.all.size());
    for (const definition &one : definitions.all)
      for (size_t field : one)
        out.number(field);
    out.number(unit.functions.size());
  }

  // One that was optimised away, or is no function of its own any more, has no address. Of several
  // copies the linker keeps one, which has all their counts then; any other function is told by a
  // label of this object: in what is named like debug information GNU's linker takes __wrap_NAME
  // for NAME (--wrap).
  void emit_address(size_t number) {
    const counted_function &function = unit.functions[number];
    if (!function.from_source) {
      fprintf(out, "\t.quad\t.Lascribe_f%zu\n", function.label);
    } else if (!symbols.is_defined(function.symbol)) {
      fputs("\t.quad\t0\n", out);
    } else if (symbols.has_copies(function.symbol)) {
      fputs("\t.quad\t", out);
      symbols.write(out, function.symbol);
      fputc('\n', out);
    } else {
      fprintf(out, "\t.set\t.Lascribe_s%zu,", number);
      symbols.write(out, function.symbol);
      fprintf(out, "\n\t.quad\t.Lascribe_s%zu\n", number);
    }
  }

  static unsigned flags_of(const counted_function &function) {
    return (function.is_public ? COUNTED_PUBLIC : 0) | (function.from_source ? COUNTED_SOURCE : 0);
  }

  stream written(const counted_function &function) {
    stream out, source;
    size_t next = 0;
    out.number(function.name);
    out.number(flags_of(function));
    out.number(function.file);
    out.number(function.line);
    out.number(function.nodes.size());
    write_flows(out, function, next);
    write_points(out, function, next);
    write_origins(source, function);
    write_ranges(source, function);
    write_lines(source, function);
    out.number(source.size());
    out.append(source);
    return out;
  }

  static void write_counter(stream &out, size_t counter, size_t &next) {
    if (counter == COUNTED_AT_SITES)
      out.number(WRITTEN_AT_SITES);
    else if (counter == NO_COUNTER)
      out.number(WRITTEN_NONE);
    else if (counter == next)
      out.number(WRITTEN_NEXT);
    else
      out.number(WRITTEN_COUNTER + counter);
    if (counter != COUNTED_AT_SITES && counter != NO_COUNTER) next = counter + 1;
  }

  static void write_flows(stream &out, const counted_function &function, size_t &next) {
    uint32_t node = 0;
    out.number(function.flows.size());
    for (const counted_flow &flow : function.flows) {
      out.difference(flow.from, node);
      out.difference(flow.to, node);
      write_counter(out, flow.counter, next);
    }
  }

  // Calls of what the unit defines and does not count are nobody's.
  bool is_counted(const counted_point &point) {
    return point.kind != POINT_CALL || number_of(point.callee) || !symbols.is_defined(point.callee);
  }

  struct place {
    uint32_t flow, file, line, origin;
  };

  void write_points(stream &out, const counted_function &function, size_t &next) {
    size_t count = 0;
    place before = {};
    for (const counted_point &point : function.points)
      count += is_counted(point);
    out.number(count);
    for (const counted_point &point : function.points)
      if (is_counted(point)) write_point(out, point, before, next);
  }

  void write_point(stream &out, const counted_point &point, place &before, size_t &next) {
    unsigned head = point.kind;
    bool is_call = point.kind != POINT_ENTRY;
    if (is_call && point.file != before.file) head += POINT_HAS_FILE;
    if (is_call && point.origin != before.origin) head += POINT_HAS_ORIGIN;
    out.number(head);
    out.difference(point.flow, before.flow);
    if (!is_call) return;
    if (point.kind == POINT_CALL)
      out.number(callees.number_of({point.name, number_of(point.callee)}));
    else {
      write_counter(out, point.cell, next);
      next = point.cell + 2;
    }
    if (head & POINT_HAS_FILE) out.difference(point.file, before.file);
    if (head & POINT_HAS_ORIGIN) out.difference(point.origin, before.origin);
    out.difference(point.line, before.line);
    out.number(point.column);
  }

  void write_origins(stream &out, const counted_function &function) {
    uint32_t file = 0, line = 0;
    out.number(function.origins.size());
    for (const counted_origin &origin : function.origins) {
      out.number(origin.parent);
      out.number(definitions.number_of({origin.kind, origin.name, origin.file, origin.line}));
      out.difference(origin.call_file, file);
      out.difference(origin.call_line, line);
      out.number(origin.call_column);
    }
  }

  static void write_case(stream &out, const counted_range &range) {
    uint32_t line = range.line;
    out.number(range.which);
    out.number(range.label);
    out.difference(range.label_line, line);
  }

  static void write_ranges(stream &out, const counted_function &function) {
    uint32_t file = 0, origin = 0, line = 0, flow = 0;
    out.number(function.ranges.size());
    for (const counted_range &range : function.ranges) {
      unsigned head = range.kind;
      if (range.file != file) head += RANGE_HAS_FILE;
      if (range.origin != origin) head += RANGE_HAS_ORIGIN;
      if (range.end_line != range.line) head += RANGE_HAS_LINES;
      if (range.flows.size() != 1) head += RANGE_HAS_FLOWS;
      out.number(head);
      if (head & RANGE_HAS_FILE) out.difference(range.file, file);
      if (head & RANGE_HAS_ORIGIN) out.difference(range.origin, origin);
      out.difference(range.line, line);
      out.number(range.column);
      uint32_t from_line = line, from_column = range.column;
      if (head & RANGE_HAS_LINES) out.difference(range.end_line, from_line);
      out.difference(range.end_column, from_column);
      if (range.kind == RANGE_CASE) write_case(out, range);
      if (head & RANGE_HAS_FLOWS) out.number(range.flows.size());
      for (size_t one : range.flows)
        out.difference(one, flow);
    }
  }

  static void write_lines(stream &out, const counted_function &function) {
    uint32_t file = 0, number = 0, flow = 0;
    out.number(function.lines.size());
    for (const counted_line &line : function.lines) {
      out.difference(line.file, file);
      out.difference(line.line, number);
      out.number(line.places.size());
      out.number(line.steps.size());
      for (size_t place : line.places)
        out.difference(place, flow);
      for (const counted_step &step : line.steps) {
        out.number(step.from);
        out.number(step.to);
        out.difference(step.flow, flow);
      }
    }
  }
};

} // namespace

void write_section(const counted_unit &unit, const unit_symbols &symbols, FILE *out) {
  writer(unit, symbols, out).write();
}

} // namespace ascribe
