// Where a server can listen, said in words where it cannot: gRPC itself does not tell.
#pragma once

#include <string>
#include <vector>

#include "base/function_ref.h"
#include "base/status.h"
#include "session/cluster_spec.h"

namespace weir {

// Has `bind` bind what a server needs which is to be reached at `address`: addresses, with numbers for names, and one
// port for all of them. A name may stand for several, as localhost does, and the port is free at all that are this
// machine's; for port 0 it is any free one. Nothing is kept for `bind`: it is false where somebody else was faster, and
// is then tried with another port, if any will do. Gives the port, -1 for a path. Errors as Transport::Listen's.
using BindAddresses = FunctionRef<bool(const std::vector<std::string>& addresses, int port)>;
Result<int> BindFreePort(const Address& address, BindAddresses bind);

}  // namespace weir
