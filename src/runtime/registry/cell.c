#include "runtime/registry/cell.h"

struct ascribe_gate ascribe_inert_gate = {0, 0, ASCRIBE_STANDBY, 0};
__thread struct ascribe_cell ascribe_cell
    __attribute__((aligned(16))) = {&ascribe_inert_row, &ascribe_inert_gate};

__thread uint64_t ascribe_counts;
__thread uint32_t ascribe_centre;
__thread struct host_context ascribe_host_context __attribute__((aligned(8)));
__thread const volatile uint64_t *ascribe_host_word;
__thread struct host_callback ascribe_host_callback;
uint64_t ascribe_counters_lead;
int ascribe_cycles_in_use;
