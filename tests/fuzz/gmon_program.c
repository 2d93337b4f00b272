/* The program whose gmon.out fuzz_import_gmon reads: functions where its seeds have samples. */
__attribute__((noinline)) static int inner(int n) {
  return n * n + 3;
}

__attribute__((noinline)) static int outer(int n) {
  return n ? inner(n) + outer(n - 1) : inner(n);
}

int _start(void);
int _start(void) {
  return outer(3) + inner(1);
}
