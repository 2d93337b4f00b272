/* Instructions begin where objdump has them begin, and calls have names.
 * Usage: disassembly SUBJECT, a program made of symbols_subject.cc. */
#include "symbols/disassembly.h"

#include <stdlib.h>

#include "check.h"

static struct disassembly code;
static size_t compared;

static int has_instruction(uint64_t address) {
  for (size_t i = 0; i < code.count; i++)
    if (code.list[i].address == address) return 1;
  return 0;
}

/* "0000000000001180 <main>:" begins a function, "    1180:	push   %rbx" is an instruction. */
static void compare(struct symbol_file *file, FILE *objdump) {
  char line[2000];
  uint64_t address;
  struct symbol symbol = {0};
  while (fgets(line, sizeof line, objdump)) {
    if (line[0] != ' ' && sscanf(line, "%" SCNx64 " <", &address) == 1) {
      disassembly_free(&code);
      if (symbol_file_function(file, address, &symbol) == 0 && symbol.address == address)
        CHECK_EQUAL(symbol_file_disassemble(file, address, symbol.size, &code), 0);
    } else if (line[0] == ' ' && sscanf(line, " %" SCNx64 ":", &address) == 1 && code.count &&
               address - symbol.address < symbol.size) {
      if (!has_instruction(address)) printf("%s", line);
      CHECK(has_instruction(address));
      compared++;
    }
  }
  disassembly_free(&code);
}

static int has_text(const char *text) {
  for (size_t i = 0; i < code.count; i++)
    if (strstr(code.list[i].text, text)) return 1;
  return 0;
}

static void knows_names(struct symbol_file *file) {
  struct symbol symbol;
  size_t at = 0;
  do /* main.cold, too, has the name */
    CHECK_EQUAL(symbol_file_named(file, "main", &at, &symbol), 0);
  while (strcmp(symbol.linkage, "main") != 0 && !checks_failed);
  CHECK_EQUAL(symbol_file_disassemble(file, symbol.address, symbol.size, &code), 0);
  CHECK(has_text(" sized_assembly"));
  CHECK(has_text(" garden::water"));
  uint64_t end = symbol.address;
  for (size_t i = 0; i < code.count; i++) {
    CHECK_EQUAL(code.list[i].address, end); /* no gaps */
    end += code.list[i].bytes;
  }
  CHECK_EQUAL(end, symbol.address + symbol.size);
  disassembly_free(&code);
  at = 0;
  CHECK_EQUAL(symbol_file_named(file, "nobody", &at, &symbol), -1);
}

/* What is no code becomes single bytes; what is not in the file is refused. */
static void nonsense(struct symbol_file *file) {
  CHECK_EQUAL(symbol_file_disassemble(file, 0, 64, &code), 0); /* the ELF header */
  CHECK(has_text("(bad)"));
  disassembly_free(&code);
  CHECK_EQUAL(symbol_file_disassemble(file, UINT64_MAX - 8, 8, &code), -1);
  CHECK_EQUAL(symbol_file_disassemble(file, 0x1000, 1ull << 40, &code), -1);
}

int main(int count, char **arguments) {
  struct symbols *symbols = symbols_create();
  char command[4200];
  if (count != 2) return 2;
  struct symbol_file *file = symbols_file(symbols, arguments[1], NULL, 0);
  snprintf(command, sizeof command, "objdump -d --no-show-raw-insn -j .text '%s'", arguments[1]);
  FILE *objdump = popen(command, "r");
  compare(file, objdump);
  CHECK_EQUAL(pclose(objdump), 0);
  CHECK(compared > 100);
  knows_names(file);
  nonsense(file);
  symbols_free(symbols);
  return check_result();
}
