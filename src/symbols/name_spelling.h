/* One spelling for names that compilers' debug information and the demangler write differently. */
#ifndef ASCRIBE_SYMBOLS_NAME_SPELLING_H
#define ASCRIBE_SYMBOLS_NAME_SPELLING_H

/* Rewrite a name of C++ in place; it gets no longer.
 *
 *   std::string for its instance of basic_string, and the like
 *   std::vector<int> without default arguments: allocators, the order and hash of containers, the
 *     deleter of std::unique_ptr
 *   f(int)::{lambda} for "f(int)::{lambda(char)#1}" and "f(int)::<lambda(char)>"; without the
 *     parameters of main, which has none where it is the name of a symbol
 *   char const* for "const char*" */
void name_spell(char *name);

#endif
