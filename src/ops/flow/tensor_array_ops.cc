// The TensorArray ops. Each takes and returns a flow value, a scalar that only orders the ops on one array. Gradients
// follow the flow values.
#include "graph/build/array_ops.h"
#include "graph/build/flow_ops.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "op/type_text.h"
#include "ops/array/elements.h"
#include "ops/flow/step_handle.h"
#include "ops/flow/tensor_array.h"

namespace weir::ops {
namespace {

using ArrayPtr = ResourcePtr<TensorArrayState>;

Tensor Flow() { return Tensor::Scalar(0.0f); }

Result<int32_t> ArrayIndex(const KernelContext& ctx, int input, std::string_view what) {
  const Tensor& t = ctx.input(input);
  if (t.rank() != 0) return InvalidArgument("{} must be scalar, but had shape: {}", what, t.shape());
  return t.scalar<int32_t>();
}

Result<ArrayPtr> ArrayToRead(const KernelContext& ctx) {
  WEIR_ASSIGN(ArrayPtr array, LookupInStep<TensorArrayState>(ctx, 0));
  if (array->dtype() != ctx.output_type(0))
    return InvalidArgument("TensorArray dtype is {} but Op requested dtype {}.", KernelTypeText(array->dtype()),
                           KernelTypeText(ctx.output_type(0)));
  return array;
}

Result<ArrayPtr> ArrayToWrite(const KernelContext& ctx, int value_input) {
  WEIR_ASSIGN(ArrayPtr array, LookupInStep<TensorArrayState>(ctx, 0));
  if (array->dtype() != ctx.input(value_input).dtype())
    return InvalidArgument("TensorArray dtype is {} but Op is trying to write dtype {}.",
                           KernelTypeText(array->dtype()), KernelTypeText(ctx.input(value_input).dtype()));
  return array;
}

Result<Kernel> MakeArray(KernelSetup& setup) {
  TensorArrayState::Options options;
  WEIR_ASSIGN(options.dtype, setup.Attr<DType>("dtype"));
  WEIR_ASSIGN(options.element_shape, setup.Attr<PartialShape>("element_shape"));
  WEIR_ASSIGN(options.dynamic_size, setup.Attr<bool>("dynamic_size"));
  WEIR_ASSIGN(options.clear_after_read, setup.Attr<bool>("clear_after_read"));
  WEIR_ASSIGN(options.identical_element_shapes, setup.Attr<bool>("identical_element_shapes"));
  WEIR_ASSIGN(std::string base, setup.Attr<std::string>("tensor_array_name"));
  if (base.empty()) base = setup.node().name;
  auto next = std::make_shared<std::atomic<int64_t>>(0);
  return Kernel::Sync([options, base, next](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(const int32_t size, ArrayIndex(ctx, 0, "TensorArray size"));
           if (size < 0) return InvalidArgument("Size should be >= 0.");
           WEIR_ASSIGN(std::string name,
                       (AddToStep<TensorArrayState>(ctx, kTensorArrayContainer, base, *next, [&](const std::string& n) {
                         return MakeIntrusive<TensorArrayState>(n, size, options);
                       })));
           ctx.set_output(0, StepHandle(kTensorArrayContainer, name, ctx.node().device));
           ctx.set_output(1, Flow());
           return OkStatus();
         })
      .Cheap();
}

Result<Kernel> MakeGrad(KernelSetup& setup) {
  WEIR_ASSIGN(std::string source, setup.Attr<std::string>("source"));
  return Kernel::Sync([source](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(ArrayPtr array, LookupInStep<TensorArrayState>(ctx, 0));
           Shape prepended;
           if (ctx.num_inputs() == 3) {
             if (ctx.input(2).rank() != 1)
               return InvalidArgument("shape_to_prepend must be a vector, got shape {}", ctx.input(2).shape());
             WEIR_ASSIGN(prepended, Shape::Make(ctx.input(2).Ints()));
           }
           const std::string name = fmt::format("{}@{}", array->name(), source);
           WEIR_ASSIGN(ArrayPtr gradients,
                       ctx.step().step_resources->LookupOrCreate<TensorArrayState>(
                           kTensorArrayContainer, name, [&] { return array->MakeGradients(name, prepended); }));
           ctx.set_output(0, StepHandle(kTensorArrayContainer, name, ctx.node().device));
           ctx.set_output(1, Flow());
           return OkStatus();
         })
      .Cheap();
}

Result<Kernel> MakeWrite(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(ArrayPtr array, ArrayToWrite(ctx, 2));
           WEIR_ASSIGN(const int32_t index, ArrayIndex(ctx, 1, "TensorArray index"));
           WEIR_TRY(array->Write(index, ctx.input(2)));
           ctx.set_output(0, ctx.input(3));
           return OkStatus();
         })
      .Cheap();
}

Result<Kernel> MakeRead(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(ArrayPtr array, ArrayToRead(ctx));
           WEIR_ASSIGN(const int32_t index, ArrayIndex(ctx, 1, "TensorArray index"));
           WEIR_ASSIGN(Tensor value, array->Read(index));
           ctx.set_output(0, std::move(value));
           return OkStatus();
         })
      .Cheap();
}

// Returns rows [begin, end), with shape `shape`. Shares memory unless that would break the alignment that kernels rely
// on.
Result<Tensor> TakeRows(const Tensor& value, int64_t begin, int64_t end, const Shape& shape) {
  Tensor rows = value.Slice(begin, end).Reshaped(shape);
  if (rows.num_elements() == 0 || reinterpret_cast<uintptr_t>(rows.raw()) % kBufferAlignment != 0 ||
      !IsPlain(rows.dtype()))
    return rows.Clone();
  return rows;
}

Shape ElementShapeOf(const Tensor& value) {
  Shape shape = value.shape();
  shape.RemoveDim(0);
  return shape;
}

Result<Kernel> MakeArrayGather(KernelSetup& setup) {
  WEIR_ASSIGN(PartialShape wanted, setup.Attr<PartialShape>("element_shape"));
  return Kernel::Sync([wanted](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(ArrayPtr array, ArrayToRead(ctx));
    const Tensor& indices = ctx.input(1);
    if (indices.rank() != 1)
      return InvalidArgument("Expected indices to be a vector, but received shape: {}", indices.shape());
    WEIR_TRY(array->SetElementShape(wanted));
    const int64_t count = indices.num_elements();
    if (count == 0) {
      const PartialShape shape = array->ElementShape();
      if (!shape.fully_defined())
        return Unimplemented(
            "TensorArray has size zero, but element shape {} is not fully defined. Currently only static shapes "
            "are supported when packing zero-size TensorArrays.",
            shape);
      Shape out = shape.ToShape();
      WEIR_TRY(out.InsertDim(0, 0));
      return ctx.Allocate(0, out).status();
    }
    std::vector<Tensor> values(count);
    for (int64_t i = 0; i < count; ++i) {
      WEIR_ASSIGN(values[i], array->Read(indices.data<int32_t>()[i]));
      if (!(values[i].shape() == values[0].shape()))
        return InvalidArgument("TensorArray has inconsistent shapes.  Index 0 has shape: {} but index {} has shape: {}",
                               values[0].shape(), i, values[i].shape());
    }
    Shape out_shape = values[0].shape();
    WEIR_TRY(out_shape.InsertDim(0, count));
    WEIR_ASSIGN(Tensor out, ctx.Allocate(0, out_shape));
    const int64_t size = values[0].num_elements();
    return ctx.ParallelFor(count, size / 4 + 1, [&](int64_t i) {
      Elements(values[i].dtype()).Copy(values[i], 0, out, i * size, values[i].num_elements());
    });
  });
}

Result<Kernel> MakeScatter(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(ArrayPtr array, ArrayToWrite(ctx, 2));
    const Tensor& indices = ctx.input(1);
    const Tensor& value = ctx.input(2);
    if (indices.rank() != 1)
      return InvalidArgument("Expected indices to be a vector, but received shape: {}", indices.shape());
    if (value.rank() < 1)
      return InvalidArgument("Input value for unpack must be at least a vector but received shape: {}", value.shape());
    if (value.dim(0) != indices.num_elements())
      return InvalidArgument("Expected len(indices) == values.shape[0], but saw: {} vs. {}", indices.num_elements(),
                             value.dim(0));
    const absl::Span<const int32_t> at = indices.flat<int32_t>();
    int64_t max_index = -1;
    for (const int32_t i : at) max_index = std::max<int64_t>(max_index, i);
    WEIR_ASSIGN(const bool fits, array->Reserve(max_index + 1));
    if (!fits) {
      WEIR_ASSIGN(const int32_t size, array->Size());
      return InvalidArgument("Max scatter index must be < array size ({} vs. {})", max_index, size);
    }
    const Shape shape = ElementShapeOf(value);
    for (size_t i = 0; i < at.size(); ++i) {
      const auto row = static_cast<int64_t>(i);
      WEIR_ASSIGN(Tensor element, TakeRows(value, row, row + 1, shape));
      WEIR_TRY(array->Write(at[i], std::move(element)));
    }
    ctx.set_output(0, ctx.input(3));
    return OkStatus();
  });
}

Result<Kernel> MakeArrayConcat(KernelSetup& setup) {
  WEIR_ASSIGN(PartialShape except0, setup.Attr<PartialShape>("element_shape_except0"));
  return Kernel::Sync([except0](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(ArrayPtr array, ArrayToRead(ctx));
    WEIR_ASSIGN(const int32_t size, array->Size());
    if (size == 0 && !except0.fully_defined())
      return Unimplemented(
          "TensorArray has size zero, but element_shape_except0 {} is not fully defined. Currently only static "
          "shapes are supported when concatenating zero-size TensorArrays.",
          except0);
    WEIR_ASSIGN(Tensor lengths, ctx.Allocate(1, Shape{size}));
    std::vector<Tensor> values(size);
    Shape rest = size == 0 ? except0.ToShape() : Shape();
    int64_t total = 0;
    for (int32_t i = 0; i < size; ++i) {
      WEIR_ASSIGN(values[i], array->Read(i));
      if (values[i].rank() == 0)
        return InvalidArgument(
            "Concat saw a scalar shape at index {} but requires at least vectors.  Did you mean to call pack?", i);
      const Shape shape = ElementShapeOf(values[i]);
      if (i == 0) rest = shape;
      if (!(shape == rest))
        return InvalidArgument(
            "TensorArray has inconsistent shapes.  Index 0 has (excepting dimension 0) shape: {} but index {} "
            "has (excepting dimension 0) shape: {}",
            rest, i, shape);
      lengths.data<int64_t>()[i] = values[i].dim(0);
      total += values[i].dim(0);
    }
    WEIR_TRY(rest.InsertDim(0, total));
    WEIR_ASSIGN(Tensor out, ctx.Allocate(0, rest));
    int64_t at = 0;
    for (const Tensor& value : values) {
      Elements(value.dtype()).Copy(value, 0, out, at, value.num_elements());
      at += value.num_elements();
    }
    return OkStatus();
  });
}

Result<Kernel> MakeArraySplit(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(ArrayPtr array, ArrayToWrite(ctx, 1));
    const Tensor& value = ctx.input(1);
    const Tensor& lengths = ctx.input(2);
    if (lengths.rank() != 1)
      return InvalidArgument("Expected lengths to be a vector, received shape: {}", lengths.shape());
    if (value.rank() < 1)
      return InvalidArgument("Expected value to be at least a vector, but received shape: {}", value.shape());
    int64_t total = 0;
    for (const int64_t length : lengths.flat<int64_t>()) {
      if (length < 0) return InvalidArgument("Expected lengths to be >= 0, but one is {}", length);
      if (length > value.dim(0) - total) {
        total = -1;
        break;
      }
      total += length;
    }
    if (total != value.dim(0))
      return InvalidArgument(
          "Expected sum of lengths to be equal to values.shape[0], but value's shape is: {} and the lengths are {}",
          value.shape(), lengths.SummarizeValue(10));
    WEIR_ASSIGN(const int32_t size, array->Size());
    WEIR_ASSIGN(const bool fits, array->Reserve(lengths.num_elements()));
    if (!fits || size > lengths.num_elements())
      return InvalidArgument(
          "TensorArray's size is not equal to the size of lengths ({} vs. {}), and the TensorArray is not marked "
          "as dynamically resizeable",
          size, lengths.num_elements());
    int64_t row = 0;
    for (int64_t i = 0; i < lengths.num_elements(); ++i) {
      const int64_t length = lengths.data<int64_t>()[i];
      Shape shape = value.shape();
      WEIR_TRY(shape.SetDim(0, length));
      WEIR_ASSIGN(Tensor part, TakeRows(value, row, row + length, shape));
      WEIR_TRY(array->Write(static_cast<int32_t>(i), std::move(part)));
      row += length;
    }
    ctx.set_output(0, ctx.input(3));
    return OkStatus();
  });
}

Result<Kernel> MakeArraySize(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(ArrayPtr array, LookupInStep<TensorArrayState>(ctx, 0));
           WEIR_ASSIGN(const int32_t size, array->Size());
           ctx.set_output(0, Tensor::Scalar(size));
           return OkStatus();
         })
      .Cheap();
}

Result<Kernel> MakeArrayClose(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(ArrayPtr array, LookupInStep<TensorArrayState>(ctx, 0));
           array->Close();
           return OkStatus();
         })
      .Cheap();
}

// --- shapes

// Requires `inputs` to be scalars. With `scalar_outputs`, all outputs are scalars.
ShapeFn ArrayScalars(std::vector<int> inputs, bool scalar_outputs) {
  return [inputs = std::move(inputs), scalar_outputs](ShapeContext& c) -> Status {
    for (const int i : inputs) WEIR_TRY(c.WithRank(i, 0).status());
    if (scalar_outputs)
      for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, PartialShape::Scalar());
    return OkStatus();
  };
}

Status ArrayGatherShape(ShapeContext& c) {
  WEIR_ASSIGN(const PartialShape indices, c.WithRank(1, 1));
  WEIR_TRY(c.WithRank(2, 0).status());
  WEIR_ASSIGN(PartialShape element, c.Attr<PartialShape>("element_shape"));
  if (element.known_rank()) c.set_output(0, PartialShape{indices[0]}.Concat(element));
  return OkStatus();
}

Status ArrayConcatShape(ShapeContext& c) {
  WEIR_TRY(c.WithRank(1, 0).status());
  WEIR_ASSIGN(PartialShape rest, c.Attr<PartialShape>("element_shape_except0"));
  if (rest.known_rank()) c.set_output(0, PartialShape{kUnknownDim}.Concat(rest));
  c.set_output(1, PartialShape{kUnknownDim});
  return OkStatus();
}

Status ScatterShape(ShapeContext& c) {
  WEIR_ASSIGN(const PartialShape indices, c.WithRank(1, 1));
  WEIR_ASSIGN(const PartialShape value, c.WithRankAtLeast(2, 1));
  if (value.known_rank()) WEIR_TRY(MergeDims(indices.dim(0), value[0]).status());
  WEIR_TRY(c.WithRank(3, 0).status());
  c.set_output(0, PartialShape::Scalar());
  return OkStatus();
}

Status ArraySplitShape(ShapeContext& c) {
  WEIR_TRY(c.WithRank(2, 1).status());
  WEIR_TRY(c.WithRank(3, 0).status());
  c.set_output(0, PartialShape::Scalar());
  return OkStatus();
}

// --- gradients
struct GradientArray {
  Output handle;
  Output flow;
};
// Returns the gradient array of the array behind `handle`, usable after `flow`. Each call of the differentiator uses
// its own gradient arrays, identified by `gradient_source`.
Result<GradientArray> ArrayOfGradients(Output handle, Output flow) {
  Graph& graph = handle.graph();
  const std::string source = graph.build().gradient_source;
  NameScope scope(graph, "TensorArrayGrad");
  ColocationScope colocation(graph, handle.node);
  const Output grad_handle = TensorArrayGradV3(handle, flow, source).grad_handle;
  if (!grad_handle.valid()) return graph.TakeError();
  ControlDependencies after(graph, {grad_handle.node});
  return GradientArray{grad_handle, Identity(flow, {.name = "gradient_flow"})};
}

Result<Gradients> ReadGrad(GradientContext& g) {
  const Output dy = g.d_output(0);
  WEIR_ASSIGN(GradientArray array, ArrayOfGradients(g.input(0), g.input(2)));
  return Gradients{std::monostate{}, std::monostate{}, TensorArrayWriteV3(array.handle, g.input(1), dy, array.flow)};
}
Result<Gradients> WriteGrad(GradientContext& g) {
  const Output flow = g.d_output(0);
  WEIR_ASSIGN(DType dtype, g.Attr<DType>("T"));
  WEIR_ASSIGN(GradientArray array, ArrayOfGradients(g.input(0), flow));
  return Gradients{std::monostate{}, std::monostate{}, TensorArrayReadV3(array.handle, g.input(1), array.flow, dtype),
                   flow};
}
Result<Gradients> GatherGrad(GradientContext& g) {
  const Output dy = g.d_output(0);
  WEIR_ASSIGN(GradientArray array, ArrayOfGradients(g.input(0), g.input(2)));
  return Gradients{std::monostate{}, std::monostate{}, TensorArrayScatterV3(array.handle, g.input(1), dy, array.flow)};
}
Result<Gradients> ScatterGrad(GradientContext& g) {
  const Output flow = g.d_output(0);
  WEIR_ASSIGN(DType dtype, g.Attr<DType>("T"));
  WEIR_ASSIGN(GradientArray array, ArrayOfGradients(g.input(0), flow));
  return Gradients{std::monostate{}, std::monostate{}, TensorArrayGatherV3(array.handle, g.input(1), array.flow, dtype),
                   flow};
}
Result<Gradients> ConcatGrad(GradientContext& g) {
  const Output dy = g.d_output(0);
  WEIR_ASSIGN(GradientArray array, ArrayOfGradients(g.input(0), g.input(1)));
  return Gradients{std::monostate{}, TensorArraySplitV3(array.handle, dy, g.output(1), array.flow)};
}
Result<Gradients> SplitGrad(GradientContext& g) {
  const Output flow = g.d_output(0);
  WEIR_ASSIGN(DType dtype, g.Attr<DType>("T"));
  WEIR_ASSIGN(GradientArray array, ArrayOfGradients(g.input(0), flow));
  return Gradients{std::monostate{}, TensorArrayConcatV3(array.handle, array.flow, dtype).value, std::monostate{},
                   flow};
}

struct TensorArrayOp {
  const char* name;
  const char* signature;
  std::vector<std::string> attrs;
  ShapeFn shape;
  KernelFactory make;
  GradientFn gradient = nullptr;  // null: the gradient is zero
};

}  // namespace

void RegisterTensorArray(OpRegistry& registry) {
  const char* any_shape = "element_shape: shape = { unknown_rank: true }";
  for (const TensorArrayOp& op : {
           TensorArrayOp{"TensorArrayV3",
                         "size: int32 -> handle: resource, flow: float",
                         {"dtype: type", any_shape, "dynamic_size: bool = false", "clear_after_read: bool = true",
                          "identical_element_shapes: bool = false", "tensor_array_name: string = ''"},
                         ArrayScalars({0}, true),
                         MakeArray},
           TensorArrayOp{"TensorArrayGradV3",
                         "handle: resource, flow_in: float -> grad_handle: resource, flow_out: float",
                         {"source: string"},
                         ArrayScalars({}, true),
                         MakeGrad},
           TensorArrayOp{
               "TensorArrayGradWithShape",
               "handle: resource, flow_in: float, shape_to_prepend: int32 -> grad_handle: resource, flow_out: float",
               {"source: string"},
               ArrayScalars({}, true),
               MakeGrad},
           TensorArrayOp{"TensorArrayWriteV3",
                         "handle: resource, index: int32, value: T, flow_in: float -> flow_out: float",
                         {"T: type"},
                         ArrayScalars({1, 3}, true),
                         MakeWrite,
                         WriteGrad},
           TensorArrayOp{"TensorArrayReadV3",
                         "handle: resource, index: int32, flow_in: float -> value: dtype",
                         {"dtype: type"},
                         ArrayScalars({1, 2}, false),
                         MakeRead,
                         ReadGrad},
           TensorArrayOp{"TensorArrayGatherV3",
                         "handle: resource, indices: int32, flow_in: float -> value: dtype",
                         {"dtype: type", any_shape},
                         ArrayGatherShape,
                         MakeArrayGather,
                         GatherGrad},
           TensorArrayOp{"TensorArrayScatterV3",
                         "handle: resource, indices: int32, value: T, flow_in: float -> flow_out: float",
                         {"T: type"},
                         ScatterShape,
                         MakeScatter,
                         ScatterGrad},
           TensorArrayOp{"TensorArrayConcatV3",
                         "handle: resource, flow_in: float -> value: dtype, lengths: int64",
                         {"dtype: type", "element_shape_except0: shape = { unknown_rank: true }"},
                         ArrayConcatShape,
                         MakeArrayConcat,
                         ConcatGrad},
           TensorArrayOp{"TensorArraySplitV3",
                         "handle: resource, value: T, lengths: int64, flow_in: float -> flow_out: float",
                         {"T: type"},
                         ArraySplitShape,
                         MakeArraySplit,
                         SplitGrad},
           TensorArrayOp{"TensorArraySizeV3",
                         "handle: resource, flow_in: float -> size: int32",
                         {},
                         ArrayScalars({}, true),
                         MakeArraySize},
           TensorArrayOp{"TensorArrayCloseV3", "handle: resource ->", {}, NoOutputs(), MakeArrayClose},
       }) {
    registry.Add({
        .name = op.name,
        .signature = op.signature,
        .attrs = op.attrs,
        .shape = op.shape,
        .gradient = op.gradient,
        .no_gradient = op.gradient == nullptr ? kNoGradient : NoGradient::kNone,
        .kernels = CpuKernel(op.make),
        .traits = kNeverBlocks,
        .stateful = true,
    });
  }
}

}  // namespace weir::ops
