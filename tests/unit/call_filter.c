/* What filters of system calls forbid: of known ones, and of any compared with running them. */
#include "runtime/guise/call_filter.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

#define NUMBER BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define ARCH BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch))
#define ARGUMENT BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, action)
#define JUMP(test, with, yes, no) BPF_JUMP(BPF_JMP | (test) | BPF_K, with, yes, no)
#define COUNT(array) (sizeof(array) / sizeof *(array))
#define LENGTH_MOST 24

static uint64_t forbidden[SYSTEM_CALLS / 64];

static void look(const struct sock_filter *filter, size_t count) {
  struct call_filter_state states[64];
  memset(forbidden, 0, sizeof forbidden);
  call_filter_forbid(filter, (uint32_t)count, states, forbidden);
}

static bool forbids(long number) {
  return forbidden[number / 64] >> number % 64 & 1;
}

static void test_list_of_permitted(void) {
  const struct sock_filter filter[] = {ARCH,
                                       JUMP(BPF_JEQ, AUDIT_ARCH_X86_64, 1, 0),
                                       RETURN(SECCOMP_RET_KILL_PROCESS),
                                       NUMBER,
                                       JUMP(BPF_JGE, 0x40000000, 3, 0),
                                       JUMP(BPF_JEQ, SYS_read, 1, 0),
                                       JUMP(BPF_JEQ, SYS_write, 0, 1),
                                       RETURN(SECCOMP_RET_ALLOW),
                                       RETURN(SECCOMP_RET_KILL_PROCESS)};
  look(filter, COUNT(filter));
  CHECK(!forbids(SYS_read) && !forbids(SYS_write) && forbids(SYS_mmap) && forbids(511));
}

/* Refusing is no harm; what is told to others is. */
static void test_actions(void) {
  const uint32_t harmless[] = {SECCOMP_RET_ALLOW, SECCOMP_RET_LOG, SECCOMP_RET_ERRNO | 1};
  const uint32_t harmful[] = {SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_KILL_THREAD, SECCOMP_RET_TRAP,
                              SECCOMP_RET_TRACE, SECCOMP_RET_USER_NOTIF};
  for (size_t i = 0; i < COUNT(harmless); i++) {
    const struct sock_filter filter[] = {RETURN(harmless[i])};
    look(filter, 1);
    CHECK(!forbids(SYS_read));
  }
  for (size_t i = 0; i < COUNT(harmful); i++) {
    const struct sock_filter filter[] = {RETURN(harmful[i])};
    look(filter, 1);
    CHECK(forbids(SYS_read));
  }
}

/* Some mappings kill, by their arguments: none may be made. */
static void test_arguments(void) {
  const struct sock_filter filter[] = {NUMBER,
                                       JUMP(BPF_JEQ, SYS_mmap, 0, 3),
                                       ARGUMENT,
                                       JUMP(BPF_JSET, 4, 0, 1),
                                       RETURN(SECCOMP_RET_KILL_PROCESS),
                                       RETURN(SECCOMP_RET_ALLOW)};
  look(filter, COUNT(filter));
  CHECK(forbids(SYS_mmap) && !forbids(SYS_munmap));
}

/* ---- any filter ---- */

static uint64_t state = 88172645463325252u;

static uint32_t any(uint32_t below) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (uint32_t)(state >> 20) % below;
}

static struct sock_filter any_step(uint32_t left) {
  static const uint16_t computes[] = {BPF_ADD, BPF_SUB, BPF_AND, BPF_OR,
                                      BPF_XOR, BPF_LSH, BPF_RSH, BPF_NEG};
  static const uint16_t tests[] = {BPF_JEQ, BPF_JGT, BPF_JGE, BPF_JSET};
  static const uint32_t actions[] = {SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS};
  uint16_t source = any(3) ? BPF_K : BPF_X;
  if (!left) return (struct sock_filter)RETURN(actions[any(2)]);
  switch (any(9)) {
  case 0:
    return (struct sock_filter)RETURN(actions[any(2)]);
  case 1:
    return (struct sock_filter)NUMBER;
  case 2:
    return (struct sock_filter)ARGUMENT;
  case 3:
    return (struct sock_filter)BPF_STMT(BPF_LD | BPF_IMM, any(8));
  case 4:
    return (struct sock_filter)BPF_STMT(BPF_MISC | (any(2) ? BPF_TAX : BPF_TXA), 0);
  case 5:
    return (struct sock_filter)BPF_STMT(BPF_ALU | computes[any(8)] | source, any(8));
  case 6:
    return (struct sock_filter)BPF_STMT(any(2) ? BPF_ST : BPF_LDX | BPF_MEM, any(4));
  default:
    return (struct sock_filter)BPF_JUMP(BPF_JMP | tests[any(4)] | source, any(16),
                                        (uint8_t)any(left), (uint8_t)any(left));
  }
}

static uint32_t compute(uint16_t operation, uint32_t a, uint32_t by) {
  switch (operation) {
  case BPF_ADD:
    return a + by;
  case BPF_SUB:
    return a - by;
  case BPF_AND:
    return a & by;
  case BPF_OR:
    return a | by;
  case BPF_XOR:
    return a ^ by;
  case BPF_LSH:
    return by < 32 ? a << by : 0;
  case BPF_RSH:
    return by < 32 ? a >> by : 0;
  default:
    return 0 - a;
  }
}

static bool holds(uint16_t test, uint32_t a, uint32_t with) {
  return test == BPF_JEQ   ? a == with
         : test == BPF_JGT ? a > with
         : test == BPF_JGE ? a >= with
                           : a & with;
}

/* As the kernel does. */
static bool kills(const struct sock_filter *step, uint32_t number, uint32_t argument) {
  uint32_t a = 0, x = 0, memory[4] = {0};
  for (;; step++) {
    uint32_t by = BPF_SRC(step->code) == BPF_X ? x : step->k;
    switch (BPF_CLASS(step->code)) {
    case BPF_RET:
      return step->k == SECCOMP_RET_KILL_PROCESS;
    case BPF_LD:
      a = BPF_MODE(step->code) == BPF_IMM ? step->k : step->k ? argument : number;
      break;
    case BPF_LDX:
      x = memory[step->k];
      break;
    case BPF_ST:
      memory[step->k] = a;
      break;
    case BPF_MISC:
      if (BPF_MISCOP(step->code) == BPF_TAX)
        x = a;
      else
        a = x;
      break;
    case BPF_ALU:
      a = compute(BPF_OP(step->code), a, by);
      break;
    default:
      step += holds(BPF_OP(step->code), a, by) ? step->jt : step->jf;
    }
  }
}

static void test_any(void) {
  for (int i = 0; i < 4000; i++) {
    struct sock_filter filter[LENGTH_MOST];
    for (uint32_t k = 0; k < LENGTH_MOST; k++)
      filter[k] = any_step(LENGTH_MOST - 1 - k);
    look(filter, LENGTH_MOST);
    for (uint32_t number = 0; number < 20; number++)
      for (uint32_t argument = 0; argument < 8; argument++)
        if (kills(filter, number, argument) && !forbids(number))
          CHECK(!"a call that kills is seen");
  }
}

/* Before the kernel has refused it. */
static void test_damaged(void) {
  for (int i = 0; i < 4000; i++) {
    struct sock_filter filter[LENGTH_MOST];
    unsigned char *bytes = (unsigned char *)filter;
    for (size_t k = 0; k < sizeof filter; k++)
      bytes[k] = (unsigned char)any(256);
    look(filter, LENGTH_MOST);
  }
  CHECK(true);
}

int main(void) {
  test_list_of_permitted();
  test_actions();
  test_arguments();
  test_any();
  test_damaged();
  return check_result();
}
