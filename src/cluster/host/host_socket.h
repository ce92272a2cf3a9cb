// Unix domain sockets between processes of one host. A server that listens at an address also listens at an abstract
// socket name derived from it. Abstract names belong to the network namespace, so whoever can connect is on the same
// host. The kernel removes a name when its process dies. Only peers of the same user are accepted.
#pragma once

#include <string>

#include "cluster/owned_fd.h"

namespace weir {

// A non-blocking socket connected to the listener at `numeric_address`; not valid if nobody listens there, or if the
// listener belongs to another user. Does not block.
OwnedFd ConnectOnHost(const std::string& numeric_address);
// Not valid if the name is in use.
OwnedFd ListenOnHost(const std::string& numeric_address);
// The next pending connection of a process of this user; not valid if there is none, or on an error, with errno set.
OwnedFd AcceptOnHost(int listener);

// The process id of the peer; 0 if it is not visible from the PID namespace of this process.
int PeerProcess(int fd);

}  // namespace weir
