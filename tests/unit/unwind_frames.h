/* Frames of hand-written code, with call frame information of the rarer kinds. Each calls
 * `work(argument)` and returns what it returns. */
#ifndef ASCRIBE_TESTS_UNWIND_FRAMES_H
#define ASCRIBE_TESTS_UNWIND_FRAMES_H

typedef long work_function(long argument);

long frame_on_rbx(work_function *work, long argument);        /* CFA on a callee-saved register */
long frame_clobbers(work_function *work, long argument);      /* saves rbx, and uses it */
long frame_kept_on_stack(work_function *work, long argument); /* CFA = *(rsp + 24) + 8 */
long frame_indexed(work_function *work, long argument);       /* CFA by a longer expression */
long frame_without_rbp(work_function *work, long argument);   /* says that rbp is lost */
long frame_in_register(work_function *work, long argument);   /* return address in r11 at times */
long frame_many_states(work_function *work, long argument);   /* remembers states in states */
long frame_vast(work_function *work, long argument);          /* 300 KB of stack, 70 KB of code */
long frame_undescribed(work_function *work, long argument);

/* Trap after each instruction from now on; and no more. */
void stepping_on(void), stepping_off(void);

#endif
