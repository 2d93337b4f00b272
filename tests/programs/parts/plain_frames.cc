// Frames without hooks that an exception passes, and that catch it.
void plain_call(void (*body)()) {
  body();
  __asm__ volatile("");
}

void plain_catch(void (*body)()) {
  try {
    plain_call(body);
  } catch (int) {
  }
}
