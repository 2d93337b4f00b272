/* How the parts of libascribe-mpi-calls.so answer functions of MPI: macros that define one for C
 * and for Fortran, which passes the call on and tells the runtime of it. What they are given runs
 * when the call was successful, with `call`, and in both languages: COUNT, TYPE, COMM and their
 * like take arguments of either. */
#ifndef ASCRIBE_RUNTIME_MPI_WRAPPERS_H
#define ASCRIBE_RUNTIME_MPI_WRAPPERS_H

#include "recording/mpi_calls.h"
#include "runtime/guise/message_calls.h"
#include "runtime/guise/mpi_library.h"

#pragma weak ascribe_messages

#define VISIBLE __attribute__((visibility("default")))
#define ERROR_OTHER 15 /* where the program has no MPI, and asked all the same */

/* The files of calls that are rare define it before: their functions are many, and so smaller. */
#ifdef WRAPPERS_ARE_SMALL
#define PART static __attribute__((noinline))
#else
#define PART static inline __attribute__((always_inline))
#endif

/* ---- a call ---- */

struct next {
  const char *name;
  void *function; /* atomic; null: not looked for yet */
};

struct answered_call {
  uint64_t start, end;
  const uint64_t *frame; /* of the function that answers it */
  struct recorded_message told;
  bool is_outermost, counts;
  bool is_large;          /* FORM_LARGE */
  bool is_described;      /* FORM_DESCRIBED */
  struct request matched; /* of calls that receive a message that was probed */
};

/* How a function takes its arguments: bits. */
enum argument_form {
  FORM_PLAIN = 0,
  FORM_LARGE = 1,    /* its counts are MPI_Count, not int (MPI 4.0, section 2.5.8) */
  FORM_DESCRIBED = 2 /* buffers are Fortran's descriptors (MPI 4.0, section 19.1.2; MPICH) */
};

/* False: there is nobody to pass it on to. `site`: an address of the caller. */
bool next_find(struct next *next, const void *site);

/* The stack frame of the outermost call of these functions that the thread is in; 0: none. A frame
 * that is not within it shows that an error handler has left that call (longjmp, exception). */
extern __thread uintptr_t mpi_outermost;

static inline bool is_outermost(const void *frame) {
  return !mpi_outermost || (uintptr_t)frame >= mpi_outermost;
}

static inline bool is_recording(void) {
  return &ascribe_messages &&
         __atomic_load_n(&ascribe_messages.recording, __ATOMIC_ACQUIRE) == MESSAGE_CALLS_VERSION;
}

static inline void start(struct answered_call *call) {
  if (call->counts) call->start = ascribe_messages.now();
}

/* A library's Fortran may call its C, and collective operations send: the outermost call counts. */
PART bool begin_at(struct answered_call *call, struct next *next, enum mpi_call number,
                   unsigned form, const void *site, const void *frame) {
  if (!__atomic_load_n(&next->function, __ATOMIC_ACQUIRE) && !next_find(next, site)) return false;
  call->is_outermost = is_outermost(frame);
  if (call->is_outermost) mpi_outermost = (uintptr_t)frame;
  call->counts =
      call->is_outermost && is_recording() && __atomic_load_n(&mpi.known, __ATOMIC_ACQUIRE);
  if (!call->counts) return true;
  call->is_large = form & FORM_LARGE;
  call->is_described = form & FORM_DESCRIBED;
  call->frame = frame;
  call->told = (struct recorded_message){.site = (uint64_t)site, .call = number, .calls = 1};
  start(call);
  return true;
}

#define BEGIN(Name, form)                                                                          \
  begin_at(&call, &next, MPI_CALL_##Name, form, __builtin_return_address(0),                       \
           __builtin_frame_address(0))

static inline bool is_of_files(uint32_t call) {
  switch (call) {
#define IS_OF_FILES(name, kind)                                                                    \
  case MPI_CALL_##name:                                                                            \
    return MPI_CALL_##kind == MPI_CALL_FILE;
    MPI_CALLS(IS_OF_FILES)
#undef IS_OF_FILES
  default:
    return false;
  }
}

/* Whether it did what it was to, and that is to be told. A message that failed may have been taken
 * all the same: from then on it is not known which send a receive belongs to. */
PART bool returned(struct answered_call *call, int status) {
  if (!call->counts) return false;
  call->end = ascribe_messages.now();
  call->told.cycles = call->end - call->start;
  ascribe_messages.find_context(&call->told, call->frame);
  if (status && !is_of_files(call->told.call)) ascribe_messages.close_ends(call->start);
  return status == 0;
}

PART void finish(struct answered_call *call) {
  if (call->counts) ascribe_messages.add(&call->told);
  if (call->is_outermost) mpi_outermost = 0;
}

/* What later rows are to know of the call. */
static inline struct request request_of_call(const struct answered_call *call) {
  return (struct request){.site = call->told.site,
                          .call = call->told.call,
                          .context = call->told.context,
                          .centre = call->told.centre};
}

/* ---- arguments, of C and of Fortran ---- */

static inline mpi_handle type_of(const int *type) {
  return fortran_handle(mpi.type_f2c, *type);
}
static inline mpi_handle comm_of(const int *comm) {
  return fortran_handle(mpi.comm_f2c, *comm);
}
static inline mpi_handle request_of(const int *request) {
  return fortran_handle(mpi.request_f2c, *request);
}
static inline mpi_handle message_of(const int *message) {
  return fortran_handle(mpi.message_f2c, *message);
}
static inline mpi_handle operation_of(const int *operation) {
  return fortran_handle(mpi.op_f2c, *operation);
}
static inline mpi_handle window_of_fortran(const int *window) {
  return fortran_handle(mpi.win_f2c, *window);
}
static inline mpi_handle handle_itself(mpi_handle handle) {
  return handle;
}
static inline mpi_handle first_handle(const void *handles) {
  return handle_at(handles, 0);
}
/* In C, an int is in a word of which the upper half is not defined. */
static inline mpi_count count_of(const struct answered_call *call, mpi_count count) {
  return call->is_large ? count : (int)count;
}
static inline mpi_count fortran_count_of(const struct answered_call *call, const int *count) {
  return call->is_large ? *(const mpi_count *)count : *count;
}
static inline int number_itself(int number) {
  return number;
}
static inline int number_at(const int *number) {
  return *number;
}

#define COUNT(count) _Generic((count), int * : fortran_count_of, default : count_of)(&call, count)
#define NUMBER(number) _Generic((number), int * : number_at, default : number_itself)(number)
#define TYPE(type) _Generic((type), int * : type_of, default : handle_itself)(type)
#define COMM(comm) _Generic((comm), int * : comm_of, default : handle_itself)(comm)
#define OPERATION(operation)                                                                       \
  _Generic((operation), int * : operation_of, default : handle_itself)(operation)
#define WINDOW(window)                                                                             \
  _Generic((window), int * : window_of_fortran, default : handle_itself)(window)
#define WINDOW_AT(window)                                                                          \
  _Generic((window), int * : window_of_fortran, default : first_handle)(window)
#define REQUEST(request) _Generic((request), int * : request_of, default : first_handle)(request)

/* ---- functions ---- */

/* `prepare`: what is done before the call is passed on. */
#define DEFINE_PREPARED(symbol, Name, form, prepare, parameters, arguments, ...)                   \
  VISIBLE int symbol parameters;                                                                   \
  int symbol parameters {                                                                          \
    static struct next next = {.name = #symbol};                                                   \
    struct answered_call call;                                                                     \
    if (!BEGIN(Name, form)) return ERROR_OTHER;                                                    \
    prepare;                                                                                       \
    int status = ((int(*) parameters)next.function)arguments;                                      \
    if (returned(&call, status)) {                                                                 \
      __VA_ARGS__;                                                                                 \
    }                                                                                              \
    finish(&call);                                                                                 \
    return status;                                                                                 \
  }

#define DEFINE_FORTRAN_PREPARED(symbol, Name, form, prepare, parameters, arguments, ...)           \
  VISIBLE void symbol parameters;                                                                  \
  void symbol parameters {                                                                         \
    static struct next next = {.name = #symbol};                                                   \
    struct answered_call call;                                                                     \
    if (!BEGIN(Name, form)) {                                                                      \
      if (error) *error = ERROR_OTHER;                                                             \
      return;                                                                                      \
    }                                                                                              \
    prepare;                                                                                       \
    ((void(*) parameters)next.function) arguments;                                                 \
    if (returned(&call, error ? *error : 0)) {                                                     \
      __VA_ARGS__;                                                                                 \
    }                                                                                              \
    finish(&call);                                                                                 \
  }

#define DEFINE_AS(symbol, Name, form, parameters, arguments, ...)                                  \
  DEFINE_PREPARED(symbol, Name, form, , parameters, arguments, __VA_ARGS__)
#define DEFINE_FORTRAN_AS(symbol, Name, form, parameters, arguments, ...)                          \
  DEFINE_FORTRAN_PREPARED(symbol, Name, form, , parameters, arguments, __VA_ARGS__)

#define DEFINE(Name, parameters, arguments, ...)                                                   \
  DEFINE_AS(MPI_##Name, Name, FORM_PLAIN, parameters, arguments, __VA_ARGS__)

/* `use mpi` and mpif.h; `use mpi_f08` of Open MPI and of MPICH, whose handles are a number, too,
 * and which describes its arrays. */
#define DEFINE_FORTRAN(Name, name, parameters, arguments, ...)                                     \
  DEFINE_FORTRAN_AS(mpi_##name##_, Name, FORM_PLAIN, parameters, arguments, __VA_ARGS__)           \
  DEFINE_FORTRAN_AS(mpi_##name##_f08_, Name, FORM_PLAIN, parameters, arguments, __VA_ARGS__)       \
  DEFINE_FORTRAN_AS(mpi_##name##_f08ts_, Name, FORM_DESCRIBED, parameters, arguments, __VA_ARGS__)

/* The same, of functions that there are for large counts, too. */
#define DEFINE_COUNTED(Name, parameters, arguments, ...)                                           \
  DEFINE(Name, parameters, arguments, __VA_ARGS__)                                                 \
  DEFINE_AS(MPI_##Name##_c, Name, FORM_LARGE, parameters, arguments, __VA_ARGS__)
#define DEFINE_FORTRAN_COUNTED(Name, name, parameters, arguments, ...)                             \
  DEFINE_FORTRAN(Name, name, parameters, arguments, __VA_ARGS__)                                   \
  DEFINE_FORTRAN_AS(mpi_##name##_f08ts_large_, Name, FORM_LARGE | FORM_DESCRIBED, parameters,      \
                    arguments, __VA_ARGS__)

/* ---- functions with a status ---- */

/* What the program ignores goes to `own`. */
static inline void *status_or(void *status, void *own) {
  return status == mpi.status_ignore ? own : status;
}
static inline bool is_constant(const void *data, const void *const *constant) {
  return constant && data == *constant;
}
static inline bool is_status_ignore(const void *status) {
  return is_constant(status, mpi.fortran_status_ignore) ||
         is_constant(status, mpi.f08_status_ignore);
}
static inline void *fortran_status_or(void *status, void *own) {
  return is_status_ignore(status) ? own : status;
}

#define OWN_STATUS(status_or)                                                                      \
  uint64_t own[MPI_STATUS_BYTES / 8 + 1];                                                          \
  void *told = mpi.known ? status_or(state, own) : state

#define DEFINE_STATUS_AS(symbol, Name, form, parameters, arguments, ...)                           \
  DEFINE_PREPARED(symbol, Name, form, OWN_STATUS(status_or), parameters, arguments, __VA_ARGS__)
#define DEFINE_FORTRAN_STATUS_AS(symbol, Name, form, parameters, arguments, ...)                   \
  DEFINE_FORTRAN_PREPARED(symbol, Name, form, OWN_STATUS(fortran_status_or), parameters,           \
                          arguments, __VA_ARGS__)
#define DEFINE_STATUS(Name, parameters, arguments, ...)                                            \
  DEFINE_STATUS_AS(MPI_##Name, Name, FORM_PLAIN, parameters, arguments, __VA_ARGS__)
#define DEFINE_STATUS_COUNTED(Name, parameters, arguments, ...)                                    \
  DEFINE_STATUS(Name, parameters, arguments, __VA_ARGS__)                                          \
  DEFINE_STATUS_AS(MPI_##Name##_c, Name, FORM_LARGE, parameters, arguments, __VA_ARGS__)
#define DEFINE_FORTRAN_STATUS(Name, name, parameters, arguments, ...)                              \
  DEFINE_FORTRAN_STATUS_AS(mpi_##name##_, Name, FORM_PLAIN, parameters, arguments, __VA_ARGS__)    \
  DEFINE_FORTRAN_STATUS_AS(mpi_##name##_f08_, Name, FORM_PLAIN, parameters, arguments,             \
                           __VA_ARGS__)                                                            \
  DEFINE_FORTRAN_STATUS_AS(mpi_##name##_f08ts_, Name, FORM_DESCRIBED, parameters, arguments,       \
                           __VA_ARGS__)
#define DEFINE_FORTRAN_STATUS_COUNTED(Name, name, parameters, arguments, ...)                      \
  DEFINE_FORTRAN_STATUS(Name, name, parameters, arguments, __VA_ARGS__)                            \
  DEFINE_FORTRAN_STATUS_AS(mpi_##name##_f08ts_large_, Name, FORM_LARGE | FORM_DESCRIBED,           \
                           parameters, arguments, __VA_ARGS__)

/* ---- for both languages at once ---- */

#define UNWRAP(...) __VA_ARGS__

#define DEFINE_BOTH(Name, name, parameters, fortran_parameters, arguments, ...)                    \
  DEFINE(Name, parameters, arguments, __VA_ARGS__)                                                 \
  DEFINE_FORTRAN(Name, name, (UNWRAP fortran_parameters, int *error), (UNWRAP arguments, error),   \
                 __VA_ARGS__)
#define DEFINE_BOTH_COUNTED(Name, name, parameters, fortran_parameters, arguments, ...)            \
  DEFINE_COUNTED(Name, parameters, arguments, __VA_ARGS__)                                         \
  DEFINE_FORTRAN_COUNTED(Name, name, (UNWRAP fortran_parameters, int *error),                      \
                         (UNWRAP arguments, error), __VA_ARGS__)
#define DEFINE_BOTH_STATUS_COUNTED(Name, name, parameters, fortran_parameters, arguments, ...)     \
  DEFINE_STATUS_COUNTED(Name, parameters, arguments, __VA_ARGS__)                                  \
  DEFINE_FORTRAN_STATUS_COUNTED(Name, name, (UNWRAP fortran_parameters, int *error),               \
                                (UNWRAP arguments, error), __VA_ARGS__)

/* ---- what calls move ---- */

/* 0: nothing, or not known. Only of arguments that are significant to the call: MPI may end the
 * program for others, which may be anything. */
uint64_t bytes_of(mpi_count count, mpi_handle type);

/* Records the part in a blocking collective call in which a process waits for others; of other
 * calls, nothing. */
void took_part(const struct answered_call *call, mpi_handle comm, bool is_root);

/* A collective operation or one on files or windows, by its arguments. */
static inline void gave(struct answered_call *call, uint64_t given, uint64_t got) {
  call->told.sent_bytes = given;
  call->told.received_bytes = got;
}

/* Before it is freed: another thread may get its handle at once. */
static inline void forget(mpi_handle handle) {
  if (__atomic_load_n(&mpi.known, __ATOMIC_ACQUIRE)) communicator_forget(handle);
}

#endif
