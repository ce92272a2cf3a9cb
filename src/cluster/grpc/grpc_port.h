// Finds addresses for a server to listen at. Errors say why it cannot: gRPC itself does not.
#pragma once

#include <string>
#include <vector>

#include "base/function_ref.h"
#include "base/status.h"
#include "session/cluster_spec.h"

namespace weir {

// Calls `bind` with the numeric addresses of a server that is to be reached at `address`, and one port for all of them.
// A name may have several addresses, like localhost; the port is free at all that belong to this machine. Port 0 stands
// for any free port. The port is not reserved: `bind` returns false if another process has taken it meanwhile, and is
// called again with another port if any will do. Returns the port, -1 for a Unix socket. Errors as in
// Transport::Listen.
using BindAddresses = FunctionRef<bool(const std::vector<std::string>& addresses, int port)>;
Result<int> BindFreePort(const Address& address, BindAddresses bind);

}  // namespace weir
