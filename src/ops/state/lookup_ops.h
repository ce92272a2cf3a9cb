// Shared by the lookup-table ops: the two kinds of handle, and access to the table.
#pragma once

#include "op/kernel.h"
#include "op/shape_context.h"
#include "ops/state/lookup_table.h"

namespace weir::ops {

// kRef: a reference to the strings {container, name}, used by the first version of every op. kResource: a resource
// handle.
enum class TableFace { kRef, kResource };

// Returns the table that input 0 refers to.
Result<ResourcePtr<LookupTable>> TableInput(KernelContext& ctx, TableFace face);

// Checks the shape of the handle, input 0.
Status CheckTableHandle(ShapeContext& c, TableFace face);

// Adds `entry` (its signature without the handle input) once per face. The resource form is called `resource_name`.
void AddTableOp(OpRegistry& registry, const char* resource_name, const OpEntry& entry,
                const std::function<Result<Kernel>(KernelSetup&, TableFace)>& make, bool ref_form = true);

}  // namespace weir::ops
