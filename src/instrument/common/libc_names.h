// Which functions the C library has.
#ifndef ASCRIBE_INSTRUMENT_LIBC_NAMES_H
#define ASCRIBE_INSTRUMENT_LIBC_NAMES_H

namespace ascribe {

// The C library that the compiler runs with says which names it has.
bool is_libc_name(const char *name);

} // namespace ascribe

#endif
