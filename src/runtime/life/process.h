/* The end of a process that records; its start and its children begin by themselves. */
#ifndef ASCRIBE_RUNTIME_PROCESS_H
#define ASCRIBE_RUNTIME_PROCESS_H

/* The process is about to end without its exit handlers. Any thread, signal-safe; does nothing in a
 * child that shares the memory of its parent. */
void process_note_end(void);

#endif
