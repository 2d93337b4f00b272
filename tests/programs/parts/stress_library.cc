extern "C" int catches(int depth);

__attribute__((noinline)) static void throws(int depth, int left) {
  if (!left) throw depth;
  throws(depth, left - 1);
  __asm__ volatile("" ::: "memory");
}

extern "C" int catches(int depth) {
  try {
    throws(depth, depth);
  } catch (int thrown) {
    return thrown;
  }
  return -1;
}
