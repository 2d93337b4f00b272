/* The number of a system call, from the code before it. */
#include "recording/system_call.h"

#include "check.h"

#define CHECK_CODE(expected, ...)                                                                  \
  do {                                                                                             \
    static const uint8_t code[] = {__VA_ARGS__};                                                   \
    CHECK_EQUAL(system_call_pc(code + sizeof code, sizeof code), expected);                        \
  } while (0)

int main(void) {
  CHECK_CODE(PC_NUMBERED_CALL + 110, 0x90, 0xb8, 110, 0, 0, 0, 0x0f, 0x05);
  CHECK_CODE(PC_NUMBERED_CALL + 0, 0x31, 0xc0, 0x0f, 0x05);
  /* futex, as glibc asks for it: xor $0x81, %sil stands between. */
  CHECK_CODE(PC_NUMBERED_CALL + 202, 0xb8, 202, 0, 0, 0, 0x40, 0x80, 0xf6, 0x81, 0x0f, 0x05);
  CHECK_CODE(PC_SYSTEM_CALL, 0x0f, 0x05);
  CHECK_CODE(PC_SYSTEM_CALL, 0x89, 0xf8, 0x0f, 0x05);          /* mov %edi, %eax */
  CHECK_CODE(PC_SYSTEM_CALL, 0xb8, 0, 0, 0x10, 0, 0x0f, 0x05); /* no such number */
  CHECK_CODE(PC_SYSTEM_CALL, 110, 0, 0, 0, 0x0f, 0x05);        /* the load is cut off */
  CHECK_CODE(PC_SYSTEM_CALL, 0x40, 0x80, 0xf6, 0x81, 0x0f, 0x05);
  CHECK_CODE(PC_INTERRUPT, 0xb8, 110, 0, 0, 0, 0x0f, 0x05, 0x90);
  CHECK_CODE(PC_INTERRUPT, 0x05);
  return check_result();
}
