#include "outside/frame_pointer.h"

#include <string.h>

#include "unwind/entry.h"
#include "unwind/segments.h"

enum { PROLOGUE_MOST = 48 }; /* bytes */

/* What is left of a function's code to be read. */
struct code {
  const uint8_t *at, *end; /* null: there is none */
  uint64_t address;        /* of its first byte in the process */
};

static bool skip(struct code *code, const void *bytes, size_t count) {
  if ((size_t)(code->end - code->at) < count || memcmp(code->at, bytes, count) != 0) return false;
  code->at += count;
  return true;
}

/* push %rbx, push %r12: registers that the caller wants back. */
static bool skip_push(struct code *code) {
  static const uint8_t pushes[][2] = {{0x41, 0x54}, {0x41, 0x55}, {0x41, 0x56}, {0x41, 0x57}};
  if (skip(code, "\x53", 1)) return true;
  for (size_t i = 0; i < sizeof pushes / sizeof *pushes; i++)
    if (skip(code, pushes[i], 2)) return true;
  return false;
}

/* sub $N, %rsp */
static uint64_t read_room(struct code *code) {
  int32_t room = 0;
  if (skip(code, "\x48\x83\xec", 3) && code->at < code->end) return (uint64_t)(int8_t)*code->at;
  if (skip(code, "\x48\x81\xec", 3) && code->end - code->at >= 4) memcpy(&room, code->at, 4);
  return (uint64_t)(int64_t)room;
}

/* How far below its frame pointer the function has its stack pointer: push %rbp; mov %rsp, %rbp;
 * push...; sub. -1: it does not begin so. */
static int64_t frame_size(struct code *code) {
  uint64_t pushed = 0;
  skip(code, "\xf3\x0f\x1e\xfa", 4); /* endbr64 */
  if (!skip(code, "\x55", 1) || !skip(code, "\x48\x89\xe5", 3)) return -1;
  while (skip_push(code))
    pushed += 8;
  return (int64_t)(pushed + read_room(code));
}

/* The frame size of a function that runs at `place`, which must lie behind all that. */
static int64_t frame_size_at(struct code code, uint64_t place) {
  const uint8_t *begin = code.at;
  int64_t size = frame_size(&code);
  return place - code.address < (uint64_t)(code.at - begin) ? -1 : size;
}

/* The code at the function's begin, as its file has it. */
static struct code code_of(const struct unwind_object *object, uint64_t place) {
  struct unwind_entry entry;
  struct code code = {0};
  if (!object->tables || unwind_entry_find(object->tables, place - object->bias, &entry) != 0)
    return code;
  uint64_t bytes = unwind_code_at(object->tables, entry.begin, &code.at);
  if (bytes > entry.end - entry.begin) bytes = entry.end - entry.begin;
  code.address = entry.begin + object->bias;
  code.end = code.at + (bytes < PROLOGUE_MOST ? bytes : PROLOGUE_MOST);
  return code;
}

/* A call instruction stands before it: call rel32, or call *... of any length. */
static bool is_return_address(const struct address_space *space, uint64_t address) {
  const uint8_t *code = address_space_code_before(space, address, 8);
  if (!code) return false;
  if (code[3] == 0xe8) return true;
  for (int length = 2; length <= 7; length++)
    if (code[8 - length] == 0xff && (code[9 - length] >> 3 & 7) == 2) return true;
  return false;
}

bool frame_pointer_find(struct unwind_frame *frame, const struct address_space *space,
                        const struct unwind_memory *memory) {
  uint64_t place = unwind_frame_place(frame), returns_to;
  uint32_t at = address_space_find(space, place);
  if (frame->known >> UNWIND_RBP & 1 || at == NOTHING) return false;
  int64_t size = frame_size_at(code_of(&space->code[at], place), place);
  uint64_t found = frame->registers[UNWIND_RSP] + (uint64_t)size;
  if (size < 0 || !unwind_load(memory, found + 8, &returns_to) ||
      !is_return_address(space, returns_to))
    return false;
  frame->registers[UNWIND_RBP] = found;
  frame->known |= 1u << UNWIND_RBP;
  return true;
}
