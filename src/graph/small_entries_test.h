// Ops that the tests of this folder and of src/runtime share, without kernels.
#pragma once

#include "op/op_registry.h"
#include "op/shape_context.h"

namespace weir {

inline OpEntry SmallConst() {
  return {.name = "Const",
          .signature = "-> output: dtype",
          .attrs = {"value: tensor", "dtype: type"},
          .shape = [](ShapeContext& c) -> Status {
            WEIR_ASSIGN(Tensor value, c.Attr<Tensor>("value"));
            c.set_output(0, value.shape());
            return OkStatus();
          },
          .traits = {.kind = NodeKind::kConst, .brief = true}};
}
inline OpEntry SmallPlaceholder() {
  return {.name = "Placeholder",
          .signature = "-> output: dtype",
          .attrs = {"dtype: type", "shape: shape = { unknown_rank: true }"},
          .shape = ShapeFromAttr(),
          .traits = {.placeholder = true}};
}
inline OpEntry SmallIdentity() {
  return {.name = "Identity",
          .signature = "input: T -> output: T",
          .attrs = {"T: type"},
          .shape = SameAsInput(0),
          .traits = {.memory = OutputMemory::kForwardsFirst, .brief = true, .identity = true}};
}

inline void AddFunctionEdges(OpRegistry& registry) {
  registry.Add({.name = "_Arg",
                .signature = "-> output: T",
                .attrs = {"T: type", "index: int >= 0"},
                .traits = {.may_block = false, .function_edge = true},
                .stateful = true});
  registry.Add({.name = "_Retval",
                .signature = "input: T ->",
                .attrs = {"T: type", "index: int >= 0"},
                .traits = {.may_block = false, .function_edge = true},
                .stateful = true});
}

}  // namespace weir
