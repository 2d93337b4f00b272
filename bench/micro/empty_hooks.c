/* The paper's "Dummy": what calling a hook at every entry and exit costs when it does nothing. */
void __cyg_profile_func_enter(void *callee, void *site) __attribute__((no_instrument_function));
void __cyg_profile_func_exit(void *callee, void *site) __attribute__((no_instrument_function));

void __cyg_profile_func_enter(void *callee, void *site) {
  (void)callee;
  (void)site;
}

void __cyg_profile_func_exit(void *callee, void *site) {
  (void)callee;
  (void)site;
}
