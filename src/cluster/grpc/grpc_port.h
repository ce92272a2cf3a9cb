// Finds addresses for a server to listen at. Errors say why the server cannot listen there, which gRPC's errors do not.
#pragma once

#include <string>
#include <vector>

#include "base/function_ref.h"
#include "base/status.h"
#include "session/cluster_spec.h"

namespace weir {

// Calls `bind` with the numeric addresses that `address` resolves to, and one port for all of them. A name such as
// localhost may have several addresses; the port is free at all addresses that belong to this machine. Port 0 stands
// for any free port. The port is not reserved: `bind` returns false if another process has bound it meanwhile. If the
// port was 0, `bind` is then called again with another port. Returns the port, -1 for a Unix socket. Errors as in
// Transport::Listen.
using BindAddresses = FunctionRef<bool(const std::vector<std::string>& addresses, int port)>;
Result<int> BindFreePort(const Address& address, BindAddresses bind);

}  // namespace weir
