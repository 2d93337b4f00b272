/* File systems that live on another machine. A recording is memory that the program writes on
 * every call: it must be local, also because another machine's failure would stop the program. */
#ifndef ASCRIBE_RECORDING_NETWORK_H
#define ASCRIBE_RECORDING_NETWORK_H

#include <stdbool.h>

/* `type` is f_type of struct statfs; the numbers are Linux's (linux/magic.h). */
static inline bool is_network_file_system(unsigned long type) {
  switch (type) {
  case 0x6969:     /* NFS */
  case 0xFF534D42: /* CIFS */
  case 0xFE534D42: /* SMB2 */
  case 0x517B:     /* SMB */
  case 0x01021997: /* 9p */
  case 0x5346414F: /* AFS */
  case 0x00C36400: /* Ceph */
    return true;
  }
  return false;
}

#endif
