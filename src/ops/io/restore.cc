// RestoreV2, Restore and RestoreSlice: read tensors or slices of them from a checkpoint, by name.
#include "io/checkpoint_reader.h"
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/data/iterator_state.h"
#include "ops/string/map_strings.h"

namespace weir::ops {
namespace {

Result<Tensor> RestoreTensor(const io::CheckpointReader& reader, const std::string& name, const std::string& spec,
                             DType dtype) {
  WEIR_ASSIGN(const io::SavedTensor saved, reader.Find(name));
  if (dtype == kVariant && saved.dtype == kString) {  // SaveV2 stores iterator states as strings
    WEIR_ASSIGN(const Tensor text, reader.Read(name));
    if (text.rank() != 0) return InvalidArgument("tensor_name = {} has no state of an iterator", name);
    WEIR_ASSIGN(IntrusivePtr<const IteratorState> state, IteratorState::Parse(text.scalar<std::string>()));
    return MakeVariant(std::move(state));
  }
  if (saved.dtype != dtype)
    return InvalidArgument("tensor_name = {}; expected dtype {} does not equal original dtype {}", name,
                           OpDefTypeName(dtype), OpDefTypeName(saved.dtype));
  if (spec.empty()) return reader.Read(name);
  WEIR_ASSIGN(const io::ShapeAndSlice place, io::ParseShapeAndSlice(spec));
  if (place.shape != saved.shape)
    return InvalidArgument(
        "tensor_name = {}; shape in shape_and_slice spec {} does not match the shape stored in checkpoint: {}", name,
        place.shape, saved.shape);
  return reader.ReadSlice(name, place.slice);
}

Result<Kernel> MakeRestoreV2(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           const int count = ctx.num_outputs();
           WEIR_ASSIGN(const std::string prefix, ScalarString(ctx, 0, "prefix"));
           const Tensor& names = ctx.input(1);
           const Tensor& specs = ctx.input(2);
           for (const Tensor* strings : {&names, &specs}) {
             if (strings->rank() != 1 || strings->num_elements() != count)
               return InvalidArgument("there are {} tensors to restore, but the {} have shape {}", count,
                                      strings == &names ? "tensor_names" : "shape_and_slices", strings->shape());
           }
           WEIR_ASSIGN(const std::unique_ptr<io::CheckpointReader> reader, io::OpenCheckpoint(ctx.env(), prefix));
           for (int i = 0; i < count; ++i) {
             WEIR_ASSIGN(Tensor value, RestoreTensor(*reader, names.data<std::string>()[i],
                                                     specs.data<std::string>()[i], ctx.output_type(i)));
             ctx.set_output(i, std::move(value));
           }
           return OkStatus();
         })
      .Blocking();
}

// The ops for format V1: read one tensor from the files that match a pattern.
Result<Kernel> MakeRestore(KernelSetup& setup) {
  const bool has_slice = setup.num_inputs() == 3;
  return Kernel::Sync([has_slice](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(const std::string pattern, ScalarString(ctx, 0, "file_pattern"));
           WEIR_ASSIGN(const std::string name, ScalarString(ctx, 1, "tensor_name"));
           std::string spec;
           if (has_slice) {
             WEIR_ASSIGN(spec, ScalarString(ctx, 2, "shape_and_slice"));
           }
           WEIR_ASSIGN(const std::unique_ptr<io::CheckpointReader> reader, io::OpenSliceTables(ctx.env(), pattern));
           WEIR_ASSIGN(Tensor value, RestoreTensor(*reader, name, spec, ctx.output_type(0)));
           ctx.set_output(0, std::move(value));
           return OkStatus();
         })
      .Blocking();
}

Result<PartialShape> ShapeOfSpec(const std::string& spec) {
  if (spec.empty()) return PartialShape::Unknown();
  WEIR_ASSIGN(const io::ShapeAndSlice place, io::ParseShapeAndSlice(spec));
  return PartialShape(place.slice_shape);
}

Status RestoreV2Shapes(ShapeContext& ctx) {
  WEIR_TRY(ctx.WithRank(0, 0).status());
  for (const int i : {1, 2}) {
    WEIR_ASSIGN(const PartialShape shape, ctx.WithRank(i, 1));
    WEIR_TRY(MergeDims(shape[0], ctx.num_outputs()).status());
  }
  const Tensor* specs = ctx.constant(2);
  for (int i = 0; i < ctx.num_outputs(); ++i) {
    PartialShape shape;
    if (specs != nullptr && specs->num_elements() == ctx.num_outputs()) {
      WEIR_ASSIGN(shape, ShapeOfSpec(specs->data<std::string>()[i]));
    }
    ctx.set_output(i, std::move(shape));
  }
  return OkStatus();
}

Status RestoreShapes(ShapeContext& ctx) {
  for (int i = 0; i < ctx.num_inputs(); ++i) WEIR_TRY(ctx.WithRank(i, 0).status());
  PartialShape shape;
  if (const Tensor* spec = ctx.num_inputs() == 3 ? ctx.constant(2) : nullptr;
      spec != nullptr && spec->num_elements() == 1) {
    WEIR_ASSIGN(shape, ShapeOfSpec(spec->scalar<std::string>()));
  }
  ctx.set_output(0, std::move(shape));
  return OkStatus();
}

}  // namespace

void RegisterRestore(OpRegistry& registry) {
  registry.Add({
      .name = "RestoreV2",
      .signature = "prefix: string, tensor_names: string, shape_and_slices: string -> tensors: dtypes",
      .attrs = {"dtypes: list(type) >= 1"},
      .shape = RestoreV2Shapes,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeRestoreV2),
      .traits = {.may_block = true},
      .stateful = true,
  });
  for (const auto& [name, slice] : {std::pair("Restore", ""), std::pair("RestoreSlice", ", shape_and_slice: string")}) {
    registry.Add({
        .name = name,
        .signature = fmt::format("file_pattern: string, tensor_name: string{} -> tensor: dt", slice),
        .attrs = {"dt: type", "preferred_shard: int = -1"},
        .shape = RestoreShapes,
        .no_gradient = kNoGradient,
        .kernels = CpuKernel(MakeRestore),
        .traits = {.may_block = true},
        .stateful = true,
    });
  }
}

}  // namespace weir::ops
