// Unix domain sockets between processes of one host. A server that listens at an address also listens at an abstract
// socket name derived from it. Abstract names belong to the network namespace, so every process that can connect is on
// the same host. The kernel removes a name when its process dies. Only peers of the same user are accepted.
#pragma once

#include <string>

#include "cluster/owned_fd.h"

namespace weir {

// Returns a non-blocking socket connected to the listener at `numeric_address`. Returns an invalid fd if there is no
// listener or it belongs to another user. Does not block.
OwnedFd ConnectOnHost(const std::string& numeric_address);
// Returns an invalid fd if the name is in use.
OwnedFd ListenOnHost(const std::string& numeric_address);
// Accepts the next pending connection from a process of this user. Returns an invalid fd with errno set if there is
// none or on an error.
OwnedFd AcceptOnHost(int listener);

// The process id of the peer; 0 if it is not visible from the PID namespace of this process.
int PeerProcess(int fd);

}  // namespace weir
