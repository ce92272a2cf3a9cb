// Internal version of the public header: adds constructors of errors.
#ifndef WEIR_SESSION_TASK_ROLE_ERRORS_H_
#define WEIR_SESSION_TASK_ROLE_ERRORS_H_

#include "base/status.h"
#include "session/cluster_spec.h"
#include "weir/session/task_role.h"

#endif  // WEIR_SESSION_TASK_ROLE_ERRORS_H_
