#include "store/source_place.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

bool source_place_is_named(const char *path) {
  static const char *const endings[] = {
      "c",   "h",   "cc",  "hh",  "cpp",  "hpp",   "cxx", "hxx", "c++",  "h++", "tcc", "ipp", "inl",
      "inc", "def", "ii",  "i",   "s",    "asm",   "f",   "for", "f77",  "f90", "f95", "f03", "f08",
      "rs",  "go",  "d",   "zig", "nim",  "m",     "mm",  "y",   "l",    "yy",  "ll",  "re",  "ada",
      "adb", "ads", "pas", "pp",  "ml",   "mli",   "hs",  "lhs", "scm",  "ss",  "sls", "lua", "js",
      "ts",  "py",  "rb",  "pl",  "vala", "swift", "cu",  "cuh", "ispc", "cl",  "jl",  "cr",  "v"};
  const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
  if (!dot || (slash && dot < slash)) return false;
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (strcasecmp(dot + 1, endings[i]) == 0) return true;
  return false;
}

static bool is_below(const char *path, const char *directory) {
  size_t length = strlen(directory);
  return strncmp(path, directory, length) == 0 && path[length] == '/';
}

/* Where users have keys, passwords and settings: directories and files, by a part of the path. */
static bool is_secret(const char *name, size_t length) {
  static const char *const names[] = {".ssh",
                                      ".gnupg",
                                      ".aws",
                                      ".azure",
                                      ".config",
                                      ".kube",
                                      ".docker",
                                      ".mozilla",
                                      ".pki",
                                      ".netrc",
                                      ".pgpass",
                                      ".my.cnf",
                                      ".password-store",
                                      ".git-credentials",
                                      ".npmrc",
                                      ".pypirc",
                                      ".vault-token"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0) return true;
  return false;
}

bool source_place_is_plausible(const char *path) {
  static const char *const system[] = {"/etc", "/proc", "/sys", "/dev"};
  for (size_t i = 0; i < sizeof system / sizeof *system; i++)
    if (is_below(path, system[i])) return false;
  for (const char *at = strchr(path, '/'); at; at = strchr(at + 1, '/'))
    if (is_secret(at + 1, strcspn(at + 1, "/"))) return false;
  return path[0] == '/';
}
