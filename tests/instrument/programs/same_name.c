/* Two libraries are made of this: both export `helper`, each calls its own. */
#define JOIN(a, b) a##b
#define NAME(a, b) JOIN(a, b)

int helper(int n);
__attribute__((noipa)) int helper(int n) {
  return n + NUMBER;
}

extern __typeof(helper) own_helper __attribute__((alias("helper"), visibility("hidden")));

int NAME(enter, NUMBER)(int n);
int NAME(enter, NUMBER)(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += own_helper(i);
  return sum;
}
