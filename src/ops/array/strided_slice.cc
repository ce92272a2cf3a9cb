// StridedSlice and related ops: reading a box, its gradient, and writing one (into a variable or a copy).
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/elements.h"
#include "ops/array/slice_spec.h"
#include "ops/state/variable_access.h"

namespace weir::ops {
namespace {

using SliceDims = absl::InlinedVector<CopyDim, 8>;

void ReadBox(const KernelContext& ctx, const SliceBox& box, const Tensor& whole, const Tensor& out) {
  if (out.num_elements() == 0) return;
  SliceDims dims;
  for (size_t i = 0; i < box.sizes.size(); ++i)
    dims.push_back({box.sizes[i], box.whole_strides[i], box.box_strides[i]});
  StridedCopy(ctx, whole.dtype(), dims, Elements(whole.dtype()).At(whole, box.first), out.raw());
}

void WriteBox(const KernelContext& ctx, const SliceBox& box, absl::Span<const int64_t> value_strides,
              const Tensor& value, const Tensor& whole) {
  if (std::find(box.sizes.begin(), box.sizes.end(), 0) != box.sizes.end()) return;
  SliceDims dims;
  for (size_t i = 0; i < box.sizes.size(); ++i) dims.push_back({box.sizes[i], value_strides[i], box.whole_strides[i]});
  StridedCopy(ctx, whole.dtype(), dims, value.raw(), Elements(whole.dtype()).At(whole, box.first));
}

Status RunStridedSlice(KernelContext& ctx, const SliceMasks& masks) {
  const Tensor& t = ctx.input(0);
  WEIR_ASSIGN(SliceSpec spec, ResolveSlice(t.shape(), ctx.input(1), ctx.input(2), ctx.input(3), masks));
  const Shape shape = spec.final_shape.ToShape();
  // Whole rows, or everything: a view.
  bool rows = t.rank() > 0 && spec.dims[0].stride == 1;
  for (int i = 1; i < t.rank() && rows; ++i) {
    const SliceSpec::Dim& d = spec.dims[static_cast<size_t>(i)];
    rows = d.stride == 1 && d.size == t.dim(i);
  }
  if (t.rank() == 0) {
    ctx.set_output(0, t.Reshaped(shape));
  } else if (rows) {
    const int64_t begin = spec.dims[0].size == 0 ? 0 : spec.dims[0].begin;
    ctx.set_output(0, t.Slice(begin, begin + spec.dims[0].size).Reshaped(shape));
  } else {
    WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
    ReadBox(ctx, BoxOf(spec, t.shape()), t, out);
  }
  return OkStatus();
}

Status RunStridedSliceGrad(KernelContext& ctx, const SliceMasks& masks) {
  const Tensor& dy = ctx.input(4);
  WEIR_ASSIGN(Shape shape, ShapeFromTensor(ctx.input(0), "shape"));
  WEIR_ASSIGN(SliceSpec spec, ResolveSlice(shape, ctx.input(1), ctx.input(2), ctx.input(3), masks));
  if (!(spec.final_shape == PartialShape(dy.shape())))
    return InvalidArgument("shape of dy was {} instead of {}", dy.shape(), spec.final_shape);
  WEIR_ASSIGN(Tensor dx, ctx.Allocate(0, shape));
  Elements(dx.dtype()).Clear(dx.raw(), dx.num_elements());
  const SliceBox box = BoxOf(spec, shape);
  WriteBox(ctx, box, box.box_strides, dy, dx);
  return OkStatus();
}

// Writes `value`, broadcast to the box if needed, into `whole`.
Status AssignBox(KernelContext& ctx, const SliceMasks& masks, const Tensor& whole) {
  const Tensor& value = ctx.input(4);
  WEIR_ASSIGN(SliceSpec spec, ResolveSlice(whole.shape(), ctx.input(1), ctx.input(2), ctx.input(3), masks));
  const Shape target = spec.final_shape.ToShape();
  const SliceBox box = BoxOf(spec, whole.shape());
  if (value.shape() == target) {
    WriteBox(ctx, box, box.box_strides, value, whole);
    return OkStatus();
  }
  if (target.num_elements() == 0) return OkStatus();
  bool fits = true;
  for (int i = 1; fits && i <= value.rank(); ++i) {
    const int64_t v = value.dim(value.rank() - i);
    fits = v == 1 || (i <= target.rank() && v == target[target.rank() - i]);
  }
  if (!fits) return InvalidArgument("cannot assign a value of shape {} to a slice of shape {}", value.shape(), target);
  WEIR_ASSIGN(Tensor full, ctx.AllocateTemp(value.dtype(), target));
  const DimVector from = RowMajorStrides(value.shape()), to = RowMajorStrides(target);
  SliceDims dims;
  for (int i = 0; i < target.rank(); ++i) {
    const int k = i - (target.rank() - value.rank());
    dims.push_back({target[i], k < 0 || value.dim(k) == 1 ? 0 : from[k], to[i]});
  }
  StridedCopy(ctx, value.dtype(), dims, value.raw(), full.raw());
  WriteBox(ctx, box, box.box_strides, full, whole);
  return OkStatus();
}

template <HandleKind kFace>
Status RunAssign(KernelContext& ctx, const SliceMasks& masks) {
  WEIR_ASSIGN(VariableUpdate update, VariableUpdate::Begin(ctx, kFace, 1, Extent::kDense));
  const Tensor& whole = update.value(0);
  if (whole.dtype() != ctx.input(4).dtype())
    return InvalidArgument("cannot assign a {} value to a slice of a {} variable", ctx.input(4).dtype(), whole.dtype());
  return AssignBox(ctx, masks, whole);
}

Status RunUpdateTensor(KernelContext& ctx, const SliceMasks& masks) {
  WEIR_ASSIGN(Tensor out, CopyOrForward(ctx, 0, 0));
  return AssignBox(ctx, masks, out);
}

template <Status (*Run)(KernelContext&, const SliceMasks&)>
Result<Kernel> MakeWithMasks(KernelSetup& setup) {
  WEIR_ASSIGN(SliceMasks masks, MasksOf(setup));
  return CheapForIndices(Kernel::Sync([masks](KernelContext& ctx) { return Run(ctx, masks); }), setup);
}

Status StridedSliceShape(ShapeContext& ctx) {
  WEIR_ASSIGN(PartialShape begin_shape, ctx.WithRank(1, 1));
  WEIR_ASSIGN(PartialShape end_shape, ctx.WithRank(2, 1));
  WEIR_ASSIGN(PartialShape strides_shape, ctx.WithRank(3, 1));
  WEIR_ASSIGN(begin_shape, begin_shape.Merge(end_shape));
  WEIR_TRY(begin_shape.Merge(strides_shape).status());
  const std::optional<Ints> strides = ConstantInts(ctx, 3);
  if (!ctx.input(0).known_rank() || !strides) return OkStatus();
  WEIR_ASSIGN(SliceMasks masks, MasksOf(ctx));
  const std::optional<Ints> begin = ConstantInts(ctx, 1);
  const std::optional<Ints> end = ConstantInts(ctx, 2);
  WEIR_ASSIGN(SliceSpec spec,
              ResolveSlice(ctx.input(0), begin ? &*begin : nullptr, end ? &*end : nullptr, *strides, masks));
  ctx.set_output(0, std::move(spec.final_shape));
  return OkStatus();
}

Status StridedSliceGradShape(ShapeContext& ctx) {
  WEIR_ASSIGN(PartialShape shape, ShapeArgument(ctx, 0));
  ctx.set_output(0, std::move(shape));
  return OkStatus();
}

Result<StridedSliceGradAttrs> GradAttrs(GradientContext& g) {
  WEIR_ASSIGN(SliceMasks m, MasksOf(g));
  return StridedSliceGradAttrs{.begin_mask = m.begin,
                               .end_mask = m.end,
                               .ellipsis_mask = m.ellipsis,
                               .new_axis_mask = m.new_axis,
                               .shrink_axis_mask = m.shrink_axis};
}
Result<StridedSliceAttrs> SliceAttrsOf(GradientContext& g) {
  WEIR_ASSIGN(SliceMasks m, MasksOf(g));
  return StridedSliceAttrs{.begin_mask = m.begin,
                           .end_mask = m.end,
                           .ellipsis_mask = m.ellipsis,
                           .new_axis_mask = m.new_axis,
                           .shrink_axis_mask = m.shrink_axis};
}

Result<Gradients> StridedSliceGradient(GradientContext& g) {
  WEIR_ASSIGN(StridedSliceGradAttrs attrs, GradAttrs(g));
  const DType index = g.input(1).base_dtype() == kInt64 ? kInt64 : kInt32;
  auto as_index = [&](int i) { return g.input(i).base_dtype() == index ? g.input(i) : Cast(g.input(i), index); };
  const Output dx = StridedSliceGrad(ShapeOf(g.input(0), {.out_type = index}), as_index(1), as_index(2), as_index(3),
                                     g.d_output(0), attrs);
  return Gradients{dx, std::monostate{}, std::monostate{}, std::monostate{}};
}

Result<Gradients> StridedSliceGradGradient(GradientContext& g) {
  WEIR_ASSIGN(StridedSliceAttrs attrs, SliceAttrsOf(g));
  const Output d = StridedSlice(g.d_output(0), g.input(1), g.input(2), g.input(3), attrs);
  return Gradients{std::monostate{}, std::monostate{}, std::monostate{}, std::monostate{}, d};
}

// The overwritten part of the input gets no gradient; the value gets that part of dy.
Result<Gradients> UpdateGradient(GradientContext& g) {
  WEIR_ASSIGN(StridedSliceAttrs attrs, SliceAttrsOf(g));
  const Output dy = g.d_output(0);
  const Output value = g.input(4);
  const Output d_value = StridedSlice(dy, g.input(1), g.input(2), g.input(3), attrs);
  const Output d_input = TensorStridedSliceUpdate(dy, g.input(1), g.input(2), g.input(3), ZerosLike(d_value),
                                                  {.begin_mask = attrs.begin_mask,
                                                   .end_mask = attrs.end_mask,
                                                   .ellipsis_mask = attrs.ellipsis_mask,
                                                   .new_axis_mask = attrs.new_axis_mask,
                                                   .shrink_axis_mask = attrs.shrink_axis_mask});
  const BroadcastGradientArgsResult reduce = BroadcastGradientArgs(ShapeOf(d_value), ShapeOf(value));
  const Output d = Reshape(Sum(d_value, reduce.r1), ShapeOf(value));
  return Gradients{d_input, std::monostate{}, std::monostate{}, std::monostate{}, d};
}

std::vector<std::string> Attrs(const char* index_types) {
  return {"T: type",
          std::string("Index: ") + index_types,
          "begin_mask: int = 0",
          "end_mask: int = 0",
          "ellipsis_mask: int = 0",
          "new_axis_mask: int = 0",
          "shrink_axis_mask: int = 0"};
}

}  // namespace

void RegisterStridedSlice(OpRegistry& registry) {
  registry.Add({
      .name = "StridedSlice",
      .signature = "input: T, begin: Index, end: Index, strides: Index -> output: T",
      .attrs = Attrs("{int16, int32, int64}"),
      .shape = StridedSliceShape,
      .gradient = StridedSliceGradient,
      .kernels = CpuKernel(MakeWithMasks<RunStridedSlice>),
      .traits = {.brief = true, .shape_value = ShapeValue::kSlice},
  });
  registry.Add({
      .name = "StridedSliceGrad",
      .signature = "shape: Index, begin: Index, end: Index, strides: Index, dy: T -> output: T",
      .attrs = Attrs("{int32, int64}"),
      .shape = StridedSliceGradShape,
      .gradient = StridedSliceGradGradient,
      .kernels = CpuKernel(MakeWithMasks<RunStridedSliceGrad>),
  });
  registry.Add({
      .name = "StridedSliceAssign",
      .signature = "ref: Ref(T), begin: Index, end: Index, strides: Index, value: T -> output_ref: Ref(T)",
      .attrs = Attrs("{int32, int64}"),
      .shape = SameAsInput(0),
      .kernels = CpuKernel(MakeWithMasks<RunAssign<HandleKind::kRef>>),
      .traits = kVariableUpdate,
  });
  registry.Add({
      .name = "ResourceStridedSliceAssign",
      .signature = "ref: resource, begin: Index, end: Index, strides: Index, value: T ->",
      .attrs = Attrs("{int32, int64}"),
      .shape = NoOutputs(),
      .kernels = CpuKernel(MakeWithMasks<RunAssign<HandleKind::kResource>>),
      .traits = kVariableUpdate,
      .stateful = true,
  });
  registry.Add({
      .name = "TensorStridedSliceUpdate",
      .signature = "input: T, begin: Index, end: Index, strides: Index, value: T -> output: T",
      .attrs = Attrs("{int32, int64}"),
      .shape = SameAsInput(0),
      .gradient = UpdateGradient,
      .kernels = CpuKernel(MakeWithMasks<RunUpdateTensor>),
  });
}

}  // namespace weir::ops
