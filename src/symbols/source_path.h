/* Paths of source files as people write them. */
#ifndef ASCRIBE_SYMBOLS_SOURCE_PATH_H
#define ASCRIBE_SYMBOLS_SOURCE_PATH_H

/* Take ".", ".." and doubled slashes out of a path, in place, so that one file has one name however
 * each unit was compiled; of a relative path those ".." stay that lead out of where it begins.
 * Behind a symbolic link the result can name another file: the caller checks. */
void source_path_normalise(char *path);

#endif
