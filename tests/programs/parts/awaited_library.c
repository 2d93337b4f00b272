/* Hands on to a function without hooks by a jump. */
int without_hooks(const void *a, const void *b);

int library_compare(const void *a, const void *b);
int library_compare(const void *a, const void *b) {
  return without_hooks(a, b);
}
