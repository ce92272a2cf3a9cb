// Makes a call, and makes it again on a new connection when its connection breaks before the response has arrived. The
// callee must recognize copies of the call.
#pragma once

#include <memory>
#include <string>

#include "cluster/transport.h"

namespace weir {

// As Channel::Call. REQUIRES: options.resend_ms > 0. If the callee cannot be reached again, the error is that of the
// connection that broke.
void CallAndResend(std::shared_ptr<Channel> channel, const std::string& method, Rope request,
                   const CallOptions& options, Channel::Done done);

}  // namespace weir
