#include "instrument/common/libc_names.h"

#include <dlfcn.h>

#include <map>
#include <string>

namespace ascribe {
namespace {

bool has_name(const char *library, const char *name) {
  void *handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  if (!handle) return false;
  bool found = dlsym(handle, name) != nullptr;
  dlclose(handle);
  return found;
}

} // namespace

bool is_libc_name(const char *name) {
  static std::map<std::string, bool> known;
  auto found = known.find(name);
  if (found == known.end())
    found = known.insert({name, has_name("libc.so.6", name) || has_name("libm.so.6", name)}).first;
  return found->second;
}

} // namespace ascribe
