/* All that the runtime asks of the processor. */
#ifndef ASCRIBE_RUNTIME_X86_64_H
#define ASCRIBE_RUNTIME_X86_64_H

#include "runtime/arch/x86_64/call_on_stack.h"
#include "runtime/arch/x86_64/frame_here.h"
#include "runtime/arch/x86_64/increment.h"
#include "runtime/arch/x86_64/interrupted.h"
#include "runtime/arch/x86_64/jump_target.h"
#include "runtime/arch/x86_64/program_call.h"
#include "runtime/arch/x86_64/segment.h"
#include "runtime/arch/x86_64/signal_frame.h"
#include "runtime/arch/x86_64/time_stamp.h"

#endif
