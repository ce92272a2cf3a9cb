// HandleKind: the two forms in which an op takes or makes a variable, table, queue, reader or accumulator.
#pragma once

#include "op/shape_context.h"

namespace weir::ops {

// kRef: a reference, to the value of a variable or to the strings {container, name} of another resource. kResource: a
// resource handle.
enum class HandleKind { kRef, kResource };
inline constexpr HandleKind kHandleKinds[] = {HandleKind::kRef, HandleKind::kResource};
// The names of an op in its two forms.
struct HandleKindNames {
  const char* ref;
  const char* resource;
  const char* of(HandleKind handle_kind) const { return handle_kind == HandleKind::kRef ? ref : resource; }
};
// The type of the handle in signatures, except that of a variable.
inline const char* HandleType(HandleKind handle_kind) {
  return handle_kind == HandleKind::kRef ? "Ref(string)" : "resource";
}
// The shape function of an op that makes such a handle.
inline ShapeFn HandleOutput(HandleKind handle_kind) {
  return handle_kind == HandleKind::kRef ? FixedShapes("[2]") : ScalarOutputs();
}
// Checks that input 0 has the shape of such a handle.
inline Status CheckHandleShape(ShapeContext& c, HandleKind handle_kind) {
  if (handle_kind == HandleKind::kResource) return c.WithRank(0, 0).status();
  WEIR_ASSIGN(const PartialShape handle, c.WithRank(0, 1));
  return MergeDims(handle[0], 2).status();
}

}  // namespace weir::ops
