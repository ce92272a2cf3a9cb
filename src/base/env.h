// Internal version of the public header: adds constructors of errors.
#ifndef WEIR_BASE_FORMATTED_ENV_H_
#define WEIR_BASE_FORMATTED_ENV_H_

#include "base/status.h"
#include "weir/base/env.h"

#endif  // WEIR_BASE_FORMATTED_ENV_H_
