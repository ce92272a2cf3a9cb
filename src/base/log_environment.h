// The log level in WEIR_LOG (base/log.h).
#pragma once

namespace weir {

// Whether WEIR_LOG is set to a valid level.
bool LogLevelIsFromEnvironment();

}  // namespace weir
