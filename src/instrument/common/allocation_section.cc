// The section of allocated blocks' types, as assembler text.
#include "instrument/common/allocation_section.h"

#include "ascribe/allocation_strings.h"

namespace ascribe {
namespace {

// What a field must not have is nothing that a name should have.
void add_field(std::string &to, const std::string &text) {
  for (char letter : text)
    to += letter == ALLOCATION_BEGINS || letter == ALLOCATION_ENDS_FIELD ? '?' : letter;
}

std::string string_literal(const std::string &text) {
  std::string out;
  for (unsigned char letter : text) {
    if (letter >= ' ' && letter <= '~' && letter != '"' && letter != '\\') {
      out += letter;
      continue;
    }
    for (int shift : {6, 3, 0})
      out += (shift == 6 ? "\\" : "") + std::string(1, '0' + (letter >> shift & 7));
  }
  return '"' + out + '"';
}

} // namespace

void allocation_types::add(const allocation_place &place) {
  std::string fields[ALLOCATION_FIELDS];
  fields[ALLOCATION_FUNCTION] = place.function;
  fields[ALLOCATION_FILE] = place.file.substr(place.file.rfind('/') + 1);
  fields[ALLOCATION_LINE] = std::to_string(place.line);
  fields[ALLOCATION_COLUMN] = std::to_string(place.column);
  fields[ALLOCATION_CALLEE] = place.by_allocator ? ALLOCATION_BY_ALLOCATOR : ALLOCATION_BY_FUNCTION;
  fields[ALLOCATION_TYPE] = place.type;
  std::string string;
  for (const std::string &field : fields) {
    string += &field == fields ? ALLOCATION_BEGINS : ALLOCATION_ENDS_FIELD;
    add_field(string, field);
  }
  strings.insert(string);
}

std::string allocation_types::text() const {
  if (strings.empty()) return "";
  std::string out = "\t.pushsection\t" ALLOCATION_TYPES_SECTION ",\"MS\",@progbits,1\n";
  for (const std::string &string : strings)
    out += "\t.asciz\t" + string_literal(string) + "\n";
  return out + "\t.popsection\n";
}

} // namespace ascribe
