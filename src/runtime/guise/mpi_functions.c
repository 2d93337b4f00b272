/* The library that `record` preloads in the ranks of a parallel job: answers MPI's functions, of C
 * and of Fortran, passes each call on to what the dynamic linker finds next (MPI itself, or a tool
 * that answers them, too), and tells the runtime of it. Here: MPI itself, messages, communicators.
 *
 * Source: MPI: A Message-Passing Interface Standard, version 4.0, chapter 15 (Profiling Interface)
 * and section 19.1 (Fortran support). The layouts of statuses and the values of constants are those
 * of Open MPI's and of MPICH's ABI (the MPICH ABI Compatibility Initiative), which have been the
 * same since 2013. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/guise/mpi_wrappers.h"

struct mpi_library mpi;

__thread uintptr_t mpi_outermost;

/* ---- MPI itself ---- */

/* Of a library that was loaded for itself (dlopen), only who depends on it sees its names. */
static void *look_from(const void *place, const char *name) {
  Dl_info info;
  void *library = dladdr(place, &info) && info.dli_fname
                      ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
                      : NULL;
  if (!library) return NULL;
  void *found = dlsym(library, name);
  dlclose(library);
  return found;
}

static void *of_mpi(const void *function, const char *name) {
  void *found = dlsym(RTLD_DEFAULT, name);
  return found ? found : look_from(function, name);
}

static const void *open_constants[3];

/* Open MPI has variables whose addresses are passed; MPICH, variables that hold them. */
static const void *const *fortran_constant(const void *function, unsigned number, const char *name,
                                           const char *mpich_name) {
  if (!mpi.is_open) return of_mpi(function, mpich_name);
  open_constants[number] = of_mpi(function, name);
  return open_constants[number] ? &open_constants[number] : NULL;
}

/* By any function of it. Threads may do the same at once. */
static void learn(const void *function) {
  const void *world = of_mpi(function, "ompi_mpi_comm_world");
  mpi.is_open = world;
  mpi.status_bytes = world ? 24 : 20;
  mpi.world = world ? (mpi_handle)world : 0x44000000;
  mpi.datatype_null =
      world ? (mpi_handle)of_mpi(function, "ompi_mpi_datatype_null") : (mpi_handle)0x0c000000;
  mpi.comm_null =
      world ? (mpi_handle)of_mpi(function, "ompi_mpi_comm_null") : (mpi_handle)0x04000000;
  mpi.no_op = world ? (mpi_handle)of_mpi(function, "ompi_mpi_op_no_op") : 0x5800000e;
  mpi.request_empty = world ? (mpi_handle)of_mpi(function, "ompi_request_empty") : 0;
  mpi.status_ignore = world ? NULL : (const void *)1;
  mpi.in_place = world ? (const void *)1 : (const void *)-1;
  mpi.any_source = world ? -1 : -2;
  mpi.proc_null = world ? -2 : -1;
  mpi.topology_grid = world ? 1 : 2;
  mpi.topology_graph = world ? 2 : 1;
  mpi.fortran_status_ignore =
      fortran_constant(function, 0, "mpi_fortran_status_ignore_", "MPI_F_STATUS_IGNORE");
  mpi.fortran_statuses_ignore =
      fortran_constant(function, 1, "mpi_fortran_statuses_ignore_", "MPI_F_STATUSES_IGNORE");
  mpi.fortran_in_place =
      fortran_constant(function, 2, "mpi_fortran_in_place_", "MPIR_F_MPI_IN_PLACE");
  mpi.f08_status_ignore = of_mpi(function, "MPI_F08_STATUS_IGNORE");
  mpi.f08_statuses_ignore = of_mpi(function, "MPI_F08_STATUSES_IGNORE");
  mpi.f08_in_place = of_mpi(function, "MPIR_F08_MPI_IN_PLACE");
  mpi.type_size = of_mpi(function, "PMPI_Type_size");
  mpi.type_size_x = of_mpi(function, "PMPI_Type_size_x");
  mpi.comm_group = of_mpi(function, "PMPI_Comm_group");
  mpi.comm_remote_group = of_mpi(function, "PMPI_Comm_remote_group");
  mpi.comm_test_inter = of_mpi(function, "PMPI_Comm_test_inter");
  mpi.comm_rank = of_mpi(function, "PMPI_Comm_rank");
  mpi.group_size = of_mpi(function, "PMPI_Group_size");
  mpi.group_translate_ranks = of_mpi(function, "PMPI_Group_translate_ranks");
  mpi.group_free = of_mpi(function, "PMPI_Group_free");
  mpi.type_f2c = world ? of_mpi(function, "PMPI_Type_f2c") : NULL;
  mpi.comm_f2c = world ? of_mpi(function, "PMPI_Comm_f2c") : NULL;
  mpi.request_f2c = world ? of_mpi(function, "PMPI_Request_f2c") : NULL;
  mpi.win_f2c = world ? of_mpi(function, "PMPI_Win_f2c") : NULL;
  mpi.op_f2c = world ? of_mpi(function, "PMPI_Op_f2c") : NULL;
  mpi.win_get_group = of_mpi(function, "PMPI_Win_get_group");
  mpi.topo_test = of_mpi(function, "PMPI_Topo_test");
  mpi.cartdim_get = of_mpi(function, "PMPI_Cartdim_get");
  mpi.cart_shift = of_mpi(function, "PMPI_Cart_shift");
  mpi.graph_neighbors_count = of_mpi(function, "PMPI_Graph_neighbors_count");
  mpi.dist_graph_neighbors_count = of_mpi(function, "PMPI_Dist_graph_neighbors_count");
  mpi.message_f2c = world ? of_mpi(function, "PMPI_Message_f2c") : NULL;
  bool whole = mpi.type_size && mpi.comm_group && mpi.comm_remote_group && mpi.comm_test_inter &&
               mpi.comm_rank && mpi.group_size && mpi.group_translate_ranks && mpi.group_free;
  static bool registered; /* atomic */
  if (!__atomic_exchange_n(&registered, true, __ATOMIC_RELAXED))
    pthread_atfork(NULL, NULL, requests_forget);
  /* Release pairs with the acquire in begin. */
  if (whole) __atomic_store_n(&mpi.known, true, __ATOMIC_RELEASE);
}

/* ---- a call ---- */

bool next_find(struct next *next, const void *site) {
  void *found = dlsym(RTLD_NEXT, next->name);
  if (!found) found = look_from(site, next->name);
  if (!found) return false;
  if (!__atomic_load_n(&mpi.known, __ATOMIC_ACQUIRE)) learn(found);
  __atomic_store_n(&next->function, found, __ATOMIC_RELEASE);
  return true;
}

/* ---- bytes ---- */

/* 0: not known. An int has no room for types of 2 GiB and more. */
static uint64_t size_of(mpi_handle type) {
  int size = 0;
  int64_t large = 0;
  if (mpi.type_size_x) return mpi.type_size_x(type, &large) == 0 && large > 0 ? (uint64_t)large : 0;
  return mpi.type_size(type, &size) == 0 && size > 0 ? (uint64_t)size : 0;
}

uint64_t bytes_of(mpi_count count, mpi_handle type) {
  if (count <= 0 || handle_of(type) == mpi.datatype_null) return 0;
  return (uint64_t)count * size_of(type);
}

/* ---- the ends of messages ---- */

/* `from` is what the program asked for. */
static uint32_t received_from(const struct communicator *communicator, int from,
                              const void *status) {
  return communicator_peer(communicator, from == mpi.any_source ? status_source(status) : from);
}

/* Null: it is not recorded. */
static struct recorded_message_end *post(const struct answered_call *call,
                                         const struct communicator *communicator, int partner,
                                         int tag, bool sends) {
  uint32_t id = communicator_id(communicator);
  if (!id || partner == mpi.proc_null) return NULL;
  struct recorded_message_end *end = ascribe_messages.add_end(call->start);
  if (!end) return NULL;
  end->site = call->told.site;
  end->communicator = id;
  end->peer = partner == mpi.any_source ? 0 : communicator_peer(communicator, partner);
  end->tag = tag;
  end->call = (uint16_t)call->told.call;
  if (sends) end->flags |= END_SENDS;
  __atomic_store_n(&end->posted, call->start, __ATOMIC_RELEASE);
  return end;
}

/* The call has completed it. */
static void complete(struct recorded_message_end *end, const struct answered_call *call) {
  end->wait_begin = call->start;
  end->wait_site = call->told.site;
  end->wait_call = (uint16_t)call->told.call;
  __atomic_store_n(&end->wait_end, call->end, __ATOMIC_RELEASE);
}

/* `from`: whom it was. */
static void complete_receive(struct recorded_message_end *end, const struct answered_call *call,
                             uint32_t from, const void *status) {
  if (!end) return;
  end->peer = from;
  end->tag = status_tag(status);
  end->bytes = (uint32_t)status_received(status);
  if (status_is_cancelled(status)) end->flags |= END_CANCELLED;
  complete(end, call);
}

/* Its status does not tell what it took. If that may be of any rank or tag, it stays uncompleted.
 */
static void complete_untold(const struct request *request, const struct answered_call *call) {
  if (!request->end || request->partner == mpi.any_source || request->tag < 0) return;
  request->end->flags |= END_LENGTH_UNKNOWN;
  complete(request->end, call);
}

/* Both at once. */
static void send_done(const struct answered_call *call, mpi_handle comm, int to, int tag) {
  struct recorded_message_end *end = post(call, communicator_of(comm), to, tag, true);
  if (!end) return;
  end->bytes = (uint32_t)call->told.sent_bytes;
  complete(end, call);
}

static void receive_done(const struct answered_call *call, mpi_handle comm, int from, int tag,
                         const void *status) {
  const struct communicator *communicator = communicator_of(comm);
  struct recorded_message_end *end = post(call, communicator, from, tag, false);
  uint32_t peer = end && from == mpi.any_source
                      ? communicator_peer(communicator, status_source(status))
                  : end ? end->peer
                        : 0;
  complete_receive(end, call, peer, status);
}

void took_part(const struct answered_call *call, mpi_handle comm, bool is_root) {
  const struct communicator *communicator = communicator_of(comm);
  int size = communicator_size(communicator);
  if (mpi_meeting_of(call->told.call) == MPI_MEETING_NONE || size < 2 ||
      !communicator_is_intra(communicator))
    return;
  struct recorded_message_end *end = post(call, communicator, mpi.any_source, 0, false);
  if (!end) return;
  end->bytes = (uint32_t)size;
  end->flags |= END_COLLECTIVE | (is_root ? END_ROOT : 0);
  end->flags |= call->told.sent_bytes ? END_WITH_BYTES : 0;
  complete(end, call);
}

/* A record for both, which takes half the room and time. */
static void exchange_done(const struct answered_call *call, mpi_handle comm, int to, int tag,
                          int from, int from_tag, const void *status) {
  if (to == mpi.proc_null || from == mpi.proc_null) {
    send_done(call, comm, to, tag);
    receive_done(call, comm, from, from_tag, status);
    return;
  }
  const struct communicator *communicator = communicator_of(comm);
  struct recorded_message_end *end = post(call, communicator, to, tag, true);
  if (!end) return;
  end->bytes = (uint32_t)call->told.sent_bytes;
  end->wait_begin =
      received_from(communicator, from, status) | (uint64_t)(uint32_t)status_tag(status) << 32;
  end->wait_site = (uint32_t)status_received(status);
  end->wait_call = (uint16_t)call->told.call;
  __atomic_store_n(&end->flags, end->flags | END_EXCHANGE, __ATOMIC_RELEASE);
  __atomic_store_n(&end->wait_end, call->end, __ATOMIC_RELEASE);
}

/* ---- messages ---- */

/* A row of its own for a message of the call that made the request. */
static struct recorded_message row_beside(const struct request *made, uint32_t peer) {
  return (struct recorded_message){.site = made->site,
                                   .call = made->call,
                                   .peer = peer,
                                   .context = made->context,
                                   .centre = made->centre};
}

static void sent(struct answered_call *call, mpi_handle comm, int to, mpi_count count,
                 mpi_handle type) {
  if (to == mpi.proc_null) return;
  call->told.peer = communicator_peer(communicator_of(comm), to);
  call->told.sent = 1;
  call->told.sent_bytes = bytes_of(count, type);
}

static void received(struct answered_call *call, mpi_handle comm, int from, const void *status) {
  if (from == mpi.proc_null) return;
  call->told.peer = received_from(communicator_of(comm), from, status);
  call->told.received = 1;
  call->told.received_bytes = status_received(status);
}

/* The other half of a call that sends and receives: a row of its own, with the other partner. */
static void received_too(const struct answered_call *call, mpi_handle comm, int from,
                         const void *status) {
  if (from == mpi.proc_null) return;
  struct request made = request_of_call(call);
  struct recorded_message more =
      row_beside(&made, received_from(communicator_of(comm), from, status));
  more.received = 1;
  more.received_bytes = status_received(status);
  ascribe_messages.add(&more);
}

static void note(struct answered_call *call, mpi_handle request, mpi_handle comm, int partner,
                 int tag, bool persistent, bool sends, mpi_count count, mpi_handle type) {
  if (partner == mpi.proc_null && !persistent) return;
  struct request noted = request_of_call(call);
  noted.communicator = communicator_of(comm);
  noted.partner = partner;
  noted.sends = sends;
  noted.persistent = persistent;
  noted.bytes = partner == mpi.proc_null ? 0 : bytes_of(count, type);
  noted.tag = tag;
  if (!persistent) noted.end = post(call, noted.communicator, partner, tag, sends);
  if (partner != mpi.any_source && partner != mpi.proc_null)
    call->told.peer = communicator_peer(noted.communicator, partner);
  request_note(request, &noted);
}

/* Many messages share such a handle. MPICH has predefined ones for them, with these upper bits. */
static bool is_done_at_once(mpi_handle request) {
  return mpi.is_open ? request == mpi.request_empty : handle_of(request) >> 30 == 1;
}

/* A call that waits for the request may wait for its receiver. */
static void note_send(struct answered_call *call, mpi_handle request, mpi_handle comm, int to,
                      int tag) {
  struct request noted = request_of_call(call);
  noted.communicator = communicator_of(comm);
  noted.partner = to;
  noted.sends = true;
  noted.end = post(call, noted.communicator, to, tag, true);
  if (!noted.end) return;
  noted.end->bytes = (uint32_t)call->told.sent_bytes;
  if (is_done_at_once(request))
    complete(noted.end, call);
  else
    request_note(request, &noted);
}

#define SEND(Name, name)                                                                           \
  DEFINE_COUNTED(                                                                                  \
      Name,                                                                                        \
      (const void *data, mpi_count count, mpi_handle type, int to, int tag, mpi_handle comm),      \
      (data, count, type, to, tag, comm), sent(&call, comm, to, COUNT(count), type),               \
      send_done(&call, comm, to, tag))                                                             \
  DEFINE_FORTRAN_COUNTED(                                                                          \
      Name, name, (void *data, int *count, int *type, int *to, int *tag, int *comm, int *error),   \
      (data, count, type, to, tag, comm, error),                                                   \
      sent(&call, comm_of(comm), *to, COUNT(count), type_of(type)),                                \
      send_done(&call, comm_of(comm), *to, *tag))
SEND(Send, send)
SEND(Bsend, bsend)
SEND(Ssend, ssend)
SEND(Rsend, rsend)

#define ISEND(Name, name)                                                                          \
  DEFINE_COUNTED(Name,                                                                             \
                 (const void *data, mpi_count count, mpi_handle type, int to, int tag,             \
                  mpi_handle comm, void *request),                                                 \
                 (data, count, type, to, tag, comm, request),                                      \
                 sent(&call, comm, to, COUNT(count), type),                                        \
                 note_send(&call, handle_at(request, 0), comm, to, tag))                           \
  DEFINE_FORTRAN_COUNTED(                                                                          \
      Name, name,                                                                                  \
      (void *data, int *count, int *type, int *to, int *tag, int *comm, int *request, int *error), \
      (data, count, type, to, tag, comm, request, error),                                          \
      sent(&call, comm_of(comm), *to, COUNT(count), type_of(type)),                                \
      note_send(&call, request_of(request), comm_of(comm), *to, *tag))
ISEND(Isend, isend)
ISEND(Ibsend, ibsend)
ISEND(Issend, issend)
ISEND(Irsend, irsend)

/* What is sent counts when it starts. */
#define SEND_INIT(Name, name)                                                                      \
  DEFINE_COUNTED(                                                                                  \
      Name,                                                                                        \
      (const void *data, mpi_count count, mpi_handle type, int to, int tag, mpi_handle comm,       \
       void *request),                                                                             \
      (data, count, type, to, tag, comm, request),                                                 \
      note(&call, handle_at(request, 0), comm, to, tag, true, true, COUNT(count), type))           \
  DEFINE_FORTRAN_COUNTED(                                                                          \
      Name, name,                                                                                  \
      (void *data, int *count, int *type, int *to, int *tag, int *comm, int *request, int *error), \
      (data, count, type, to, tag, comm, request, error),                                          \
      note(&call, request_of(request), comm_of(comm), *to, *tag, true, true, COUNT(count),         \
           type_of(type)))
SEND_INIT(Send_init, send_init)
SEND_INIT(Bsend_init, bsend_init)
SEND_INIT(Ssend_init, ssend_init)
SEND_INIT(Rsend_init, rsend_init)

#define IRECV(Name, name, persistent)                                                              \
  DEFINE_COUNTED(Name,                                                                             \
                 (void *data, mpi_count count, mpi_handle type, int from, int tag,                 \
                  mpi_handle comm, void *request),                                                 \
                 (data, count, type, from, tag, comm, request),                                    \
                 note(&call, handle_at(request, 0), comm, from, tag, persistent, false, 0, 0))     \
  DEFINE_FORTRAN_COUNTED(                                                                          \
      Name, name,                                                                                  \
      (void *data, int *count, int *type, int *from, int *tag, int *comm, int *request,            \
       int *error),                                                                                \
      (data, count, type, from, tag, comm, request, error),                                        \
      note(&call, request_of(request), comm_of(comm), *from, *tag, persistent, false, 0, 0))
IRECV(Irecv, irecv, false)
IRECV(Recv_init, recv_init, true)

DEFINE_STATUS_COUNTED(Recv,
                      (void *data, mpi_count count, mpi_handle type, int from, int tag,
                       mpi_handle comm, void *state),
                      (data, count, type, from, tag, comm, told), received(&call, comm, from, told),
                      receive_done(&call, comm, from, tag, told))
DEFINE_FORTRAN_STATUS_COUNTED(Recv, recv,
                              (void *data, int *count, int *type, int *from, int *tag, int *comm,
                               void *state, int *error),
                              (data, count, type, from, tag, comm, told, error),
                              received(&call, comm_of(comm), *from, told),
                              receive_done(&call, comm_of(comm), *from, *tag, told))

/* A message that a probe has matched is noted as a request by its own handle, which is that of no
 * request. */
static void take_matched(struct answered_call *call, mpi_handle message) {
  call->matched = (struct request){.partner = mpi.any_source};
  if (call->counts) request_take(message, true, &call->matched);
}

static void received_matched(struct answered_call *call, const void *status) {
  const struct request *matched = &call->matched;
  if (status_source(status) == mpi.proc_null) return;
  call->told.peer = received_from(matched->communicator, matched->partner, status);
  call->told.received = 1;
  call->told.received_bytes = status_received(status);
  complete_receive(matched->end, call, call->told.peer, status);
  communicator_release(matched->communicator);
}

static void note_matched(struct answered_call *call, mpi_handle request) {
  struct request *matched = &call->matched;
  matched->site = call->told.site;
  matched->call = call->told.call;
  matched->context = call->told.context;
  matched->centre = call->told.centre;
  request_note(request, matched);
  communicator_release(matched->communicator);
}

DEFINE_STATUS_COUNTED(Mrecv,
                      (void *data, mpi_count count, mpi_handle type, void *message, void *state),
                      (data, count, type, (take_matched(&call, handle_at(message, 0)), message),
                       told),
                      received_matched(&call, told))
DEFINE_FORTRAN_STATUS_COUNTED(
    Mrecv, mrecv, (void *data, int *count, int *type, int *message, void *state, int *error),
    (data, count, type, (take_matched(&call, message_of(message)), message), told, error),
    received_matched(&call, told))

DEFINE_COUNTED(Imrecv, (void *data, mpi_count count, mpi_handle type, void *message, void *request),
               (data, count, type, (take_matched(&call, handle_at(message, 0)), message), request),
               note_matched(&call, handle_at(request, 0)))
DEFINE_FORTRAN_COUNTED(Imrecv, imrecv,
                       (void *data, int *count, int *type, int *message, int *request, int *error),
                       (data, count, type, (take_matched(&call, message_of(message)), message),
                        request, error),
                       note_matched(&call, request_of(request)))

DEFINE_STATUS_COUNTED(
    Sendrecv,
    (const void *data, mpi_count count, mpi_handle type, int to, int tag, void *into,
     mpi_count room, mpi_handle into_type, int from, int from_tag, mpi_handle comm, void *state),
    (data, count, type, to, tag, into, room, into_type, from, from_tag, comm, told),
    sent(&call, comm, to, COUNT(count), type), received_too(&call, comm, from, told),
    exchange_done(&call, comm, to, tag, from, from_tag, told))
DEFINE_FORTRAN_STATUS_COUNTED(
    Sendrecv, sendrecv,
    (void *data, int *count, int *type, int *to, int *tag, void *into, int *room, int *into_type,
     int *from, int *from_tag, int *comm, void *state, int *error),
    (data, count, type, to, tag, into, room, into_type, from, from_tag, comm, told, error),
    sent(&call, comm_of(comm), *to, COUNT(count), type_of(type)),
    received_too(&call, comm_of(comm), *from, told),
    exchange_done(&call, comm_of(comm), *to, *tag, *from, *from_tag, told))

DEFINE_STATUS_COUNTED(Sendrecv_replace,
                      (void *data, mpi_count count, mpi_handle type, int to, int tag, int from,
                       int from_tag, mpi_handle comm, void *state),
                      (data, count, type, to, tag, from, from_tag, comm, told),
                      sent(&call, comm, to, COUNT(count), type),
                      received_too(&call, comm, from, told),
                      exchange_done(&call, comm, to, tag, from, from_tag, told))
DEFINE_FORTRAN_STATUS_COUNTED(Sendrecv_replace, sendrecv_replace,
                              (void *data, int *count, int *type, int *to, int *tag, int *from,
                               int *from_tag, int *comm, void *state, int *error),
                              (data, count, type, to, tag, from, from_tag, comm, told, error),
                              sent(&call, comm_of(comm), *to, COUNT(count), type_of(type)),
                              received_too(&call, comm_of(comm), *from, told),
                              exchange_done(&call, comm_of(comm), *to, *tag, *from, *from_tag,
                                            told))

/* Calls whose status does not tell what was received. MPI_Isendrecv has one request for both
 * messages, and its status is the receive's, but MPICH 4.0 does not write it. The bytes of a
 * partitioned message are taken from the arguments of its call. */
static bool is_untold(uint32_t call) {
  return call == MPI_CALL_Precv_init ||
         (!mpi.is_open && (call == MPI_CALL_Isendrecv || call == MPI_CALL_Isendrecv_replace));
}

static void note_exchange(struct answered_call *call, mpi_handle request, mpi_handle comm, int to,
                          int tag, int from, int from_tag) {
  if (from == mpi.proc_null) {
    note_send(call, request, comm, to, tag);
    return;
  }
  struct request noted = request_of_call(call);
  noted.communicator = communicator_of(comm);
  noted.partner = from;
  noted.tag = from_tag;
  noted.sent = post(call, noted.communicator, to, tag, true);
  if (noted.sent) noted.sent->bytes = (uint32_t)call->told.sent_bytes;
  noted.end = post(call, noted.communicator, from, from_tag, false);
  request_note(request, &noted);
}

DEFINE_BOTH_COUNTED(Isendrecv, isendrecv,
                    (const void *data, mpi_count count, mpi_handle type, int to, int tag,
                     void *into, mpi_count room, mpi_handle into_type, int from, int from_tag,
                     mpi_handle comm, void *request),
                    (void *data, int *count, int *type, int *to, int *tag, void *into, int *room,
                     int *into_type, int *from, int *from_tag, int *comm, int *request),
                    (data, count, type, to, tag, into, room, into_type, from, from_tag, comm,
                     request),
                    sent(&call, COMM(comm), NUMBER(to), COUNT(count), TYPE(type)),
                    note_exchange(&call, REQUEST(request), COMM(comm), NUMBER(to), NUMBER(tag),
                                  NUMBER(from), NUMBER(from_tag)))
DEFINE_BOTH_COUNTED(Isendrecv_replace, isendrecv_replace,
                    (void *data, mpi_count count, mpi_handle type, int to, int tag, int from,
                     int from_tag, mpi_handle comm, void *request),
                    (void *data, int *count, int *type, int *to, int *tag, int *from, int *from_tag,
                     int *comm, int *request),
                    (data, count, type, to, tag, from, from_tag, comm, request),
                    sent(&call, COMM(comm), NUMBER(to), COUNT(count), TYPE(type)),
                    note_exchange(&call, REQUEST(request), COMM(comm), NUMBER(to), NUMBER(tag),
                                  NUMBER(from), NUMBER(from_tag)))

/* ---- persistent requests ---- */

/* Both ends of such a message belong together by the order in which they were made, not started
 * (MPI 4.0, section 4.2.2): their ends are not recorded. */
static bool is_partitioned(uint32_t call) {
  return call == MPI_CALL_Psend_init || call == MPI_CALL_Precv_init;
}

/* Each message that starts is a row with its partner, beside that of the call. */
static void started(const struct answered_call *call, mpi_handle handle) {
  struct request request;
  if (!request_is_noted(handle) || !request_take(handle, false, &request)) return;
  struct recorded_message_end *end =
      is_partitioned(request.call)
          ? NULL
          : post(call, request.communicator, request.partner, request.tag, request.sends);
  if (end && request.sends) end->bytes = (uint32_t)request.bytes;
  request_set_active(handle, true, end);
  if (request.collective) {
    struct recorded_message moved = row_beside(&request, 0);
    moved.sent_bytes = request.bytes;
    moved.received_bytes = request.got;
    ascribe_messages.add(&moved);
  }
  if (request.sends && request.partner != mpi.proc_null) {
    struct request made = request_of_call(call);
    struct recorded_message more =
        row_beside(&made, communicator_peer(request.communicator, request.partner));
    more.sent = 1;
    more.sent_bytes = request.bytes;
    ascribe_messages.add(&more);
  }
  communicator_release(request.communicator);
}

static void all_started(const struct answered_call *call, int count, const void *requests) {
  for (int i = 0; i < count; i++)
    started(call, handle_at(requests, (size_t)i));
}
static void all_started_by_fortran(const struct answered_call *call, int count,
                                   const int *requests) {
  for (int i = 0; i < count; i++)
    started(call, request_of(&requests[i]));
}

DEFINE(Start, (void *request), (request), all_started(&call, 1, request))
DEFINE_FORTRAN(Start, start, (int *request, int *error), (request, error),
               all_started_by_fortran(&call, 1, request))
DEFINE(Startall, (int count, void *requests), (count, requests),
       all_started(&call, count, requests))
DEFINE_FORTRAN(Startall, startall, (int *count, int *requests, int *error),
               (count, requests, error), all_started_by_fortran(&call, *count, requests))

/* A partitioned message counts with the bytes of all partitions when it starts, as other persistent
 * messages do. */
#define PARTITIONED(Name, name, sends)                                                             \
  DEFINE_AS(MPI_##Name, Name, FORM_LARGE,                                                          \
            (void *data, int partitions, mpi_count count, mpi_handle type, int partner, int tag,   \
             mpi_handle comm, mpi_handle info, void *request),                                     \
            (data, partitions, count, type, partner, tag, comm, info, request),                    \
            NOTE_PARTITIONED(sends))                                                               \
  PARTITIONED_FORTRAN(mpi_##name##_, Name, FORM_LARGE, sends)                                      \
  PARTITIONED_FORTRAN(mpi_##name##_f08_, Name, FORM_LARGE, sends)                                  \
  PARTITIONED_FORTRAN(mpi_##name##_f08ts_, Name, FORM_LARGE | FORM_DESCRIBED, sends)
#define PARTITIONED_FORTRAN(symbol, Name, form, sends)                                             \
  DEFINE_FORTRAN_AS(symbol, Name, form,                                                            \
                    (void *data, int *partitions, int *count, int *type, int *partner, int *tag,   \
                     int *comm, int *info, int *request, int *error),                              \
                    (data, partitions, count, type, partner, tag, comm, info, request, error),     \
                    NOTE_PARTITIONED(sends))
#define NOTE_PARTITIONED(sends)                                                                    \
  note(&call, REQUEST(request), COMM(comm), NUMBER(partner), NUMBER(tag), true, sends,             \
       NUMBER(partitions) * COUNT(count), TYPE(type))
PARTITIONED(Psend_init, psend_init, true)
PARTITIONED(Precv_init, precv_init, false)

DEFINE_BOTH(Pready, pready, (int partition, mpi_handle request), (int *partition, int *request),
            (partition, request), )
DEFINE_BOTH(Pready_range, pready_range, (int first, int last, mpi_handle request),
            (int *first, int *last, int *request), (first, last, request), )
DEFINE_BOTH(Pready_list, pready_list, (int count, const int *partitions, mpi_handle request),
            (int *count, int *partitions, int *request), (count, partitions, request), )
DEFINE_BOTH(Parrived, parrived, (mpi_handle request, int partition, int *flag),
            (int *request, int *partition, int *flag), (request, partition, flag), )

static void forget_request(mpi_handle handle) {
  struct request forgotten;
  if (request_take(handle, true, &forgotten)) communicator_release(forgotten.communicator);
}

/* Of no other interest: not counted. */
VISIBLE int MPI_Request_free(void *request);
int MPI_Request_free(void *request) {
  static struct next next = {.name = "MPI_Request_free"};
  if (!next.function && !next_find(&next, __builtin_return_address(0))) return ERROR_OTHER;
  if (mpi.known && is_outermost(__builtin_frame_address(0))) forget_request(handle_at(request, 0));
  return ((int (*)(void *))next.function)(request);
}
#define REQUEST_FREE(symbol)                                                                       \
  VISIBLE void symbol(int *request, int *error);                                                   \
  void symbol(int *request, int *error) {                                                          \
    static struct next next = {.name = #symbol};                                                   \
    if (!next.function && !next_find(&next, __builtin_return_address(0))) return;                  \
    if (mpi.known && is_outermost(__builtin_frame_address(0)))                                     \
      forget_request(request_of(request));                                                         \
    ((void (*)(int *, int *))next.function)(request, error);                                       \
  }
REQUEST_FREE(mpi_request_free_)
REQUEST_FREE(mpi_request_free_f08_)

/* ---- completion ---- */

static bool is_statuses_ignore(const void *statuses) {
  return is_constant(statuses, mpi.fortran_statuses_ignore) ||
         is_constant(statuses, mpi.f08_statuses_ignore);
}

#define FEW 8

/* The requests of a call that completes some of them.  They are taken before it, since another
 * thread may get the handle of one that is done, and those that are not done are put back. */
struct completion {
  int count; /* 0: none of them is known */
  struct answered_call *call;
  const void *requests;
  bool by_fortran;
  bool in_status; /* each status says whether its message failed */
  struct taken {
    mpi_handle handle;
    bool noted;
    struct request request;
  } * list, few[FEW];
  char *statuses; /* own ones, or the program's */
  uint64_t own[FEW * MPI_STATUS_BYTES / 8];
  void *allocated;
};

static mpi_handle request_handle(const struct completion *completion, int number) {
  return completion->by_fortran ? request_of((const int *)completion->requests + number)
                                : handle_at(completion->requests, (size_t)number);
}

/* Whether it is known, and under way. */
static bool take(struct taken *taken) {
  if (!request_take(taken->handle, false, &taken->request)) return false;
  if (!taken->request.persistent || taken->request.active) return true;
  communicator_release(taken->request.communicator);
  return false;
}

/* Returns what to pass for the statuses. */
static void *completion_begin(struct completion *completion, struct answered_call *call, int count,
                              const void *requests, bool by_fortran, void *statuses, bool ignored) {
  completion->count = 0;
  completion->call = call;
  completion->requests = requests;
  completion->by_fortran = by_fortran;
  completion->in_status = false;
  completion->allocated = NULL;
  completion->list = completion->few;
  completion->statuses = ignored ? (char *)completion->own : statuses;
  if (!call->counts || count <= 0) return statuses;
  if (count > FEW) {
    size_t bytes = (size_t)count * (sizeof *completion->list + MPI_STATUS_BYTES);
    completion->list = completion->allocated = malloc(bytes);
    if (!completion->list) return statuses;
    if (ignored) completion->statuses = (char *)(completion->list + count);
  }
  bool any = false;
  for (int i = 0; i < count; i++) {
    struct taken *taken = &completion->list[i];
    taken->handle = request_handle(completion, i);
    taken->noted = take(taken);
    any |= taken->noted;
  }
  if (!any) return statuses;
  completion->count = count;
  return completion->statuses;
}

/* Returns the partner of what was received; 0: not known, or nothing was. */
static uint32_t tell_received(const struct request *request, const void *status) {
  bool is_told = !is_untold(request->call);
  int source =
      is_told && request->partner == mpi.any_source ? status_source(status) : request->partner;
  if (request->sends || source == mpi.proc_null ||
      (is_told && (status_is_cancelled(status) || status_source(status) == mpi.proc_null)))
    return 0;
  struct recorded_message more =
      row_beside(request, communicator_peer(request->communicator, source));
  more.received = 1;
  more.received_bytes = is_told ? status_received(status) : request->bytes;
  ascribe_messages.add(&more);
  return more.peer;
}

enum {
  OPEN_ERR_IN_STATUS = 18,
  OPEN_ERR_PENDING = 19,
  MPICH_ERR_IN_STATUS = 17,
  MPICH_ERR_PENDING = 18,
  MPICH_CLASS_MASK = 0x7f
};

static int error_class(int error) {
  return mpi.is_open ? error : error & MPICH_CLASS_MASK;
}

/* A call in which some messages failed, and that has set the statuses, is treated as successful:
 * each status says whether its message failed. Open MPI's Fortran sets none of them then
 * (ompi/mpi/fortran/mpif-h/waitall_f.c), so none of its messages is known. */
static int completion_status(struct completion *completion, int status) {
  completion->in_status =
      completion->count && !(completion->by_fortran && mpi.is_open) &&
      error_class(status) == (mpi.is_open ? OPEN_ERR_IN_STATUS : MPICH_ERR_IN_STATUS);
  return completion->in_status ? 0 : status;
}

/* The request of this number is done; its status is the one of `place`. */
static uint32_t completion_done(struct completion *completion, int number, int place) {
  if (number < 0 || number >= completion->count || !completion->list[number].noted) return 0;
  struct taken *taken = &completion->list[number];
  struct request *request = &taken->request;
  const char *status = completion->statuses + (size_t)place * mpi.status_bytes;
  int error = completion->in_status ? status_error(status) : 0;
  if (error && error_class(error) == (mpi.is_open ? OPEN_ERR_PENDING : MPICH_ERR_PENDING)) return 0;
  uint32_t peer = error ? 0 : tell_received(request, status);
  if (error)
    ascribe_messages.close_ends(completion->call->start);
  else if (request->sends && request->end)
    complete(request->end, completion->call);
  else if (is_untold(request->call))
    complete_untold(request, completion->call);
  else
    complete_receive(request->end, completion->call, peer, status);
  if (request->sent && !error) complete(request->sent, completion->call);
  if (request->persistent) request_set_active(taken->handle, false, NULL);
  taken->noted = false;
  communicator_release(request->communicator);
  return peer;
}

static void completion_end(struct completion *completion) {
  for (int i = 0; i < completion->count; i++) {
    struct taken *taken = &completion->list[i];
    if (!taken->noted) continue;
    /* The handle of one that failed is gone. */
    if (!taken->request.persistent && request_handle(completion, i) == taken->handle)
      request_note(taken->handle, &taken->request);
    communicator_release(taken->request.communicator);
  }
  free(completion->allocated);
}

static void all_done(struct completion *completion) {
  for (int i = 0; i < completion->count; i++)
    completion_done(completion, i, i);
}

/* The call has waited for one message alone. */
static void one_done(struct completion *completion, int number) {
  uint32_t peer = completion_done(completion, number, 0);
  completion->call->told.peer = peer;
}

/* Fortran's indices begin with 1. */
static void some_done(struct completion *completion, int count, const int *indices, int first) {
  for (int i = 0; completion->count && i < count; i++)
    completion_done(completion, indices[i] - first, i);
}

#define COMPLETE_C(Name, parameters, arguments, count, ignored, ...)                               \
  VISIBLE int MPI_##Name parameters;                                                               \
  int MPI_##Name parameters {                                                                      \
    static struct next next = {.name = "MPI_" #Name};                                              \
    struct answered_call call;                                                                     \
    struct completion done;                                                                        \
    if (!BEGIN(Name, FORM_PLAIN)) return ERROR_OTHER;                                              \
    void *told = completion_begin(&done, &call, count, requests, false, state, ignored);           \
    start(&call);                                                                                  \
    int status = ((int(*) parameters)next.function)arguments;                                      \
    if (returned(&call, completion_status(&done, status))) {                                       \
      __VA_ARGS__;                                                                                 \
    }                                                                                              \
    completion_end(&done);                                                                         \
    finish(&call);                                                                                 \
    return status;                                                                                 \
  }
#define COMPLETE_FORTRAN_AS(symbol, Name, parameters, arguments, count, ignored, ...)              \
  VISIBLE void symbol parameters;                                                                  \
  void symbol parameters {                                                                         \
    static struct next next = {.name = #symbol};                                                   \
    struct answered_call call;                                                                     \
    struct completion done;                                                                        \
    if (!BEGIN(Name, FORM_PLAIN)) {                                                                \
      if (error) *error = ERROR_OTHER;                                                             \
      return;                                                                                      \
    }                                                                                              \
    void *told = completion_begin(&done, &call, count, requests, true, state, ignored);            \
    start(&call);                                                                                  \
    ((void(*) parameters)next.function) arguments;                                                 \
    if (returned(&call, error ? completion_status(&done, *error) : 0)) {                           \
      __VA_ARGS__;                                                                                 \
    }                                                                                              \
    completion_end(&done);                                                                         \
    finish(&call);                                                                                 \
  }
#define COMPLETE_FORTRAN(Name, name, parameters, arguments, count, ignored, ...)                   \
  COMPLETE_FORTRAN_AS(mpi_##name##_, Name, parameters, arguments, count, ignored, __VA_ARGS__)     \
  COMPLETE_FORTRAN_AS(mpi_##name##_f08_, Name, parameters, arguments, count, ignored, __VA_ARGS__)

#define IGNORED (state == mpi.status_ignore)

COMPLETE_C(Wait, (void *requests, void *state), (requests, told), 1, IGNORED, one_done(&done, 0))
COMPLETE_FORTRAN(Wait, wait, (int *requests, void *state, int *error), (requests, told, error), 1,
                 is_status_ignore(state), one_done(&done, 0))
COMPLETE_C(Waitall, (int count, void *requests, void *state), (count, requests, told), count,
           IGNORED, all_done(&done))
COMPLETE_FORTRAN(Waitall, waitall, (int *count, int *requests, void *state, int *error),
                 (count, requests, told, error), *count, is_statuses_ignore(state), all_done(&done))
COMPLETE_C(Waitany, (int count, void *requests, int *index, void *state),
           (count, requests, index, told), count, IGNORED, one_done(&done, *index))
COMPLETE_FORTRAN(Waitany, waitany, (int *count, int *requests, int *index, void *state, int *error),
                 (count, requests, index, told, error), *count, is_status_ignore(state),
                 one_done(&done, *index - 1))
COMPLETE_C(Waitsome, (int count, void *requests, int *found, int *indices, void *state),
           (count, requests, found, indices, told), count, IGNORED,
           some_done(&done, *found, indices, 0))
COMPLETE_FORTRAN(Waitsome, waitsome,
                 (int *count, int *requests, int *found, int *indices, void *state, int *error),
                 (count, requests, found, indices, told, error), *count, is_statuses_ignore(state),
                 some_done(&done, *found, indices, 1))
COMPLETE_C(Test, (void *requests, int *flag, void *state), (requests, flag, told), 1, IGNORED,
           if (*flag) one_done(&done, 0))
COMPLETE_FORTRAN(Test, test, (int *requests, int *flag, void *state, int *error),
                 (requests, flag, told, error), 1, is_status_ignore(state),
                 if (*flag) one_done(&done, 0))
COMPLETE_C(Testall, (int count, void *requests, int *flag, void *state),
           (count, requests, flag, told), count, IGNORED, if (*flag) all_done(&done))
COMPLETE_FORTRAN(Testall, testall, (int *count, int *requests, int *flag, void *state, int *error),
                 (count, requests, flag, told, error), *count, is_statuses_ignore(state),
                 if (*flag) all_done(&done))
COMPLETE_C(Testany, (int count, void *requests, int *index, int *flag, void *state),
           (count, requests, index, flag, told), count, IGNORED, if (*flag) one_done(&done, *index))
COMPLETE_FORTRAN(Testany, testany,
                 (int *count, int *requests, int *index, int *flag, void *state, int *error),
                 (count, requests, index, flag, told, error), *count, is_status_ignore(state),
                 if (*flag) one_done(&done, *index - 1))
COMPLETE_C(Testsome, (int count, void *requests, int *found, int *indices, void *state),
           (count, requests, found, indices, told), count, IGNORED,
           some_done(&done, *found, indices, 0))
COMPLETE_FORTRAN(Testsome, testsome,
                 (int *count, int *requests, int *found, int *indices, void *state, int *error),
                 (count, requests, found, indices, told, error), *count, is_statuses_ignore(state),
                 some_done(&done, *found, indices, 1))

/* Whose message was there. */
static void found(struct answered_call *call, mpi_handle comm, int from, const void *status) {
  if (from != mpi.proc_null) call->told.peer = received_from(communicator_of(comm), from, status);
}

static void found_matched(struct answered_call *call, mpi_handle message, mpi_handle comm, int from,
                          const void *status) {
  if (from == mpi.proc_null) return;
  found(call, comm, from, status);
  struct request matched = {.communicator = communicator_of(comm),
                            .partner = status_source(status)};
  matched.end = post(call, matched.communicator, matched.partner, status_tag(status), false);
  request_note(message, &matched);
}

DEFINE_STATUS(Probe, (int from, int tag, mpi_handle comm, void *state), (from, tag, comm, told),
              found(&call, comm, from, told))
DEFINE_FORTRAN_STATUS(Probe, probe, (int *from, int *tag, int *comm, void *state, int *error),
                      (from, tag, comm, told, error), found(&call, comm_of(comm), *from, told))
DEFINE_STATUS(Iprobe, (int from, int tag, mpi_handle comm, int *flag, void *state),
              (from, tag, comm, flag, told), if (*flag) found(&call, comm, from, told))
DEFINE_FORTRAN_STATUS(Iprobe, iprobe,
                      (int *from, int *tag, int *comm, int *flag, void *state, int *error),
                      (from, tag, comm, flag, told, error),
                      if (*flag) found(&call, comm_of(comm), *from, told))
DEFINE_STATUS(Mprobe, (int from, int tag, mpi_handle comm, void *message, void *state),
              (from, tag, comm, message, told),
              found_matched(&call, handle_at(message, 0), comm, from, told))
DEFINE_STATUS(Improbe, (int from, int tag, mpi_handle comm, int *flag, void *message, void *state),
              (from, tag, comm, flag, message, told),
              if (*flag) found_matched(&call, handle_at(message, 0), comm, from, told))

DEFINE_FORTRAN_STATUS(Mprobe, mprobe,
                      (int *from, int *tag, int *comm, int *message, void *state, int *error),
                      (from, tag, comm, message, told, error),
                      found_matched(&call, message_of(message), comm_of(comm), *from, told))
DEFINE_FORTRAN_STATUS(Improbe, improbe,
                      (int *from, int *tag, int *comm, int *flag, int *message, void *state,
                       int *error),
                      (from, tag, comm, flag, message, told, error),
                      if (*flag)
                          found_matched(&call, message_of(message), comm_of(comm), *from, told))

/* ---- start, end, communicators ---- */

DEFINE(Init, (int *count, char ***arguments), (count, arguments), )
DEFINE_FORTRAN(Init, init, (int *error), (error), )
DEFINE(Init_thread, (int *count, char ***arguments, int wanted, int *got),
       (count, arguments, wanted, got), )
DEFINE_FORTRAN(Init_thread, init_thread, (int *wanted, int *got, int *error),
               (wanted, got, error), )
DEFINE(Finalize, (void), (), )
DEFINE_FORTRAN(Finalize, finalize, (int *error), (error), )
DEFINE(Comm_idup, (mpi_handle comm, void *made, void *request), (comm, made, request), )
DEFINE_FORTRAN(Comm_idup, comm_idup, (int *comm, int *made, int *request, int *error),
               (comm, made, request, error), )
DEFINE_BOTH(Comm_idup_with_info, comm_idup_with_info,
            (mpi_handle comm, mpi_handle info, void *made, void *request),
            (int *comm, int *info, int *made, int *request), (comm, info, made, request), )
#define MAKES(Name, name, parameters, fortran_parameters, arguments)                               \
  DEFINE(Name, parameters, arguments, communicator_made(first_handle(made)))                       \
  DEFINE_FORTRAN(Name, name, (UNWRAP fortran_parameters, int *error), (UNWRAP arguments, error),   \
                 communicator_made(comm_of(made)))
MAKES(Comm_dup, comm_dup, (mpi_handle comm, void *made), (int *comm, int *made), (comm, made))
MAKES(Comm_dup_with_info, comm_dup_with_info, (mpi_handle comm, mpi_handle info, void *made),
      (int *comm, int *info, int *made), (comm, info, made))
MAKES(Comm_split, comm_split, (mpi_handle comm, int colour, int key, void *made),
      (int *comm, int *colour, int *key, int *made), (comm, colour, key, made))
MAKES(Comm_split_type, comm_split_type,
      (mpi_handle comm, int kind, int key, mpi_handle info, void *made),
      (int *comm, int *kind, int *key, int *info, int *made), (comm, kind, key, info, made))
MAKES(Comm_create, comm_create, (mpi_handle comm, mpi_handle group, void *made),
      (int *comm, int *group, int *made), (comm, group, made))
MAKES(Comm_create_group, comm_create_group,
      (mpi_handle comm, mpi_handle group, int tag, void *made),
      (int *comm, int *group, int *tag, int *made), (comm, group, tag, made))
MAKES(Cart_create, cart_create,
      (mpi_handle comm, int count, const int *sizes, const int *periods, int reorder, void *made),
      (int *comm, int *count, int *sizes, int *periods, int *reorder, int *made),
      (comm, count, sizes, periods, reorder, made))
MAKES(Cart_sub, cart_sub, (mpi_handle comm, const int *kept, void *made),
      (int *comm, int *kept, int *made), (comm, kept, made))
MAKES(Graph_create, graph_create,
      (mpi_handle comm, int nodes, const int *index, const int *edges, int reorder, void *made),
      (int *comm, int *nodes, int *index, int *edges, int *reorder, int *made),
      (comm, nodes, index, edges, reorder, made))
MAKES(Dist_graph_create, dist_graph_create,
      (mpi_handle comm, int count, const int *sources, const int *degrees, const int *targets,
       const int *weights, mpi_handle info, int reorder, void *made),
      (int *comm, int *count, int *sources, int *degrees, int *targets, int *weights, int *info,
       int *reorder, int *made),
      (comm, count, sources, degrees, targets, weights, info, reorder, made))
MAKES(Dist_graph_create_adjacent, dist_graph_create_adjacent,
      (mpi_handle comm, int in, const int *sources, const int *in_weights, int out,
       const int *targets, const int *out_weights, mpi_handle info, int reorder, void *made),
      (int *comm, int *in, int *sources, int *in_weights, int *out, int *targets, int *out_weights,
       int *info, int *reorder, int *made),
      (comm, in, sources, in_weights, out, targets, out_weights, info, reorder, made))
MAKES(Intercomm_create, intercomm_create,
      (mpi_handle comm, int leader, mpi_handle peers, int remote_leader, int tag, void *made),
      (int *comm, int *leader, int *peers, int *remote_leader, int *tag, int *made),
      (comm, leader, peers, remote_leader, tag, made))
MAKES(Intercomm_merge, intercomm_merge, (mpi_handle comm, int high, void *made),
      (int *comm, int *high, int *made), (comm, high, made))

DEFINE(Comm_free, (void *comm), ((forget(handle_at(comm, 0)), comm)), )
DEFINE_FORTRAN(Comm_free, comm_free, (int *comm, int *error),
               ((forget(comm_of(comm)), comm), error), )
