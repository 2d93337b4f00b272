/* Paths of source files as people write them. */
#ifndef ASCRIBE_SYMBOLS_SOURCE_PATH_H
#define ASCRIBE_SYMBOLS_SOURCE_PATH_H

/* Take ".", ".." and doubled slashes out of an absolute path, in place, so that one file has one
 * name however each unit was compiled; relative paths stay as they are.  Behind a symbolic link
 * the result can name another file: the caller checks. */
void source_path_normalise(char *path);

#endif
