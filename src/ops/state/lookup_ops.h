// Shared by the lookup-table ops: the two kinds of handle, and access to the table.
#pragma once

#include "op/kernel.h"
#include "op/shape_context.h"
#include "ops/state/lookup_table.h"

namespace weir::ops {

// kRef: a reference to the strings {container, name}, used by the first version of every op. kResource: a resource
// handle.
enum class TableHandleKind { kRef, kResource };

// Returns the table that input 0 refers to.
Result<ResourcePtr<LookupTable>> TableInput(KernelContext& ctx, TableHandleKind handle_kind);

// Checks the shape of the handle, input 0.
Status CheckTableHandle(ShapeContext& c, TableHandleKind handle_kind);

// Adds `entry` (its signature without the handle input) once per face. The resource form is called `resource_name`.
void AddTableOp(OpRegistry& registry, const char* resource_name, const OpEntry& entry,
                const std::function<Result<Kernel>(KernelSetup&, TableHandleKind)>& make, bool ref_form = true);

}  // namespace weir::ops
