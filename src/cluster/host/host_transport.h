// Calls between the processes of one host that are Weir's and of one user go from process to process, those to anybody
// else over another transport: see host_link.h and host_socket.h. Nobody has to be told; either end without it is
// reached as before.
#pragma once

#include <memory>

#include "cluster/transport.h"

namespace weir {

std::unique_ptr<Transport> MakeHostTransport(std::unique_ptr<Transport> other, int64_t peer_timeout_ms);

}  // namespace weir
