// Shared by the lookup-table ops: registration in both forms, and access to the table.
#pragma once

#include "op/kernel.h"
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/state/handle_kind.h"
#include "ops/state/lookup_table.h"

namespace weir::ops {

// Returns the table that input 0 refers to.
Result<ResourcePtr<LookupTableResource>> TableInput(KernelContext& ctx, HandleKind handle_kind);

// Adds `entry` (its signature without the handle input) once per kind of handle. The resource form is called
// `resource_name`.
void AddTableOp(OpRegistry& registry, const char* resource_name, const OpEntry& entry,
                const std::function<Result<Kernel>(KernelSetup&, HandleKind)>& make, bool ref_form = true);

}  // namespace weir::ops
