/* What enter_slow.S knows of other structures. For assembler and C: names and numbers only;
 * machine.c holds them to the structures themselves. */
#ifndef ASCRIBE_RUNTIME_ENTER_SLOW_H
#define ASCRIBE_RUNTIME_ENTER_SLOW_H

/* struct ascribe_cell */
#define CELL_GATE 8

/* struct ascribe_gate */
#define GATE_MASK 0
#define GATE_TABLE 8
#define GATE_OWNER 16

/* struct ascribe_slot */
#define SLOT_BYTES 32
#define SLOT_FROM 0
#define SLOT_TO 4
#define SLOT_CALLEE 8
#define SLOT_SITE 16
#define SLOT_COUNT 24

/* ASCRIBE_CALL_INDIRECT */
#define CALL_INDIRECT_BIT 61

/* ASCRIBE_HASH */
#define HASH_SITE 0x1E3779B1
#define HASH_CONTEXT 8

/* The home slot of a transition and those behind it, before others (machine.c) */
#define NEAR_SLOTS 4

/* struct thread_state, struct recorded_thread */
#define THREAD_RECORD 0
#define THREAD_SLOW_HITS 8
#define THREAD_SLOW_HITS_LIMIT 16
#define THREAD_PAUSED 24
#define RECORD_SLOW_STEPS 72

#endif
