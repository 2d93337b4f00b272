int without_hooks(const void *a, const void *b);
__attribute__((no_instrument_function)) int without_hooks(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}
