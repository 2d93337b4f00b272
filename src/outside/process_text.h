/* What /proc says of a process, for people to read. */
#ifndef ASCRIBE_OUTSIDE_PROCESS_TEXT_H
#define ASCRIBE_OUTSIDE_PROCESS_TEXT_H

#include "outside/process_image.h"

/* Fill in the command and the directory of the program that the process runs, and its name if that
 * is empty. If it has another name, the process runs another program by now: then nothing. */
void process_text_read(struct process_image *image);

/* The name of a thread: "" if it is gone. */
void process_text_thread(uint32_t pid, uint32_t tid, char name[17]);

/* The thread group that an id belongs to: the id itself for a process, another one for a thread. 0:
 * there is no such process. */
uint32_t process_text_group(uint32_t id);

#endif
