// event_file.h: the eventfds by which a driver and a device notify each other.
//
// Trust: the descriptors are the front end's and may be of any kind. Neither
// call blocks, once MakeNonblocking has been asked.

#ifndef VSOCK_VHOST_USER_EVENT_FILE_H_
#define VSOCK_VHOST_USER_EVENT_FILE_H_

#include "absl/status/status.h"

namespace vsock::vhost_user {

absl::Status MakeNonblocking(int fd);

// Takes the notifications that have come. False if there will be none any more:
// it is no eventfd, or nobody holds its other end.
bool TakeEvents(int fd);

// Notifies. A full counter is as good as one more.
void SignalEvent(int fd);

}  // namespace vsock::vhost_user

#endif  // VSOCK_VHOST_USER_EVENT_FILE_H_
