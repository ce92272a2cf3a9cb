#include "graph/compose/tensor_array.h"

#include <algorithm>

#include "graph/build/array_ops.h"
#include "graph/build/flow_ops.h"
#include "graph/build/math_ops.h"
#include "graph/compose/dims.h"
#include "graph/compose/names.h"

namespace weir {
namespace {

void Constrain(Output value, const PartialShape& shape) {
  if (!value.valid()) return;
  if (Status status = value.graph().SetShape(value, shape); !status.ok()) value.graph().RecordError(status);
}

PartialShape WithoutFirst(const PartialShape& shape) {
  if (!shape.known_rank() || shape.rank() == 0) return PartialShape();
  PartialShape rest = shape;
  rest.RemoveDim(0);
  return rest;
}

Output UpTo(Graph& graph, Output count) {
  return Range(graph, Tensor::Scalar(int32_t{0}), count, Tensor::Scalar(int32_t{1}), {.name = "range"});
}

// Tensors of another type fail when they are written, as in TensorFlow.
Output Element(Graph& graph, const Input& value, DType dtype) {
  return ValueOf(graph, value, value.is_output() ? kInvalidType : dtype, "value");
}

}  // namespace

TensorArray::TensorArray(Graph& graph, DType dtype, const Input& size, const Options& options)
    : dtype_(dtype),
      dynamic_size_(options.dynamic_size),
      infer_shape_(options.infer_shape || options.element_shape.known_rank()),
      element_shape_(std::make_shared<PartialShape>(options.element_shape)) {
  const auto made = TensorArrayV3(graph, size, dtype,
                                  {.element_shape = options.element_shape,
                                   .dynamic_size = options.dynamic_size,
                                   .clear_after_read = options.clear_after_read,
                                   .identical_element_shapes = infer_shape_,
                                   .tensor_array_name = options.tensor_array_name,
                                   .name = NameOrDefault(options.name, "TensorArray")});
  handle_ = made.handle;
  flow_ = made.flow;
}

TensorArray TensorArray::Wrap(Output handle, Output flow, DType dtype, const PartialShape& element_shape,
                              bool infer_shape) {
  TensorArray array;
  array.handle_ = handle;
  array.flow_ = flow;
  array.dtype_ = dtype;
  array.infer_shape_ = infer_shape;
  array.element_shape_ = std::make_shared<PartialShape>(element_shape);
  return array;
}

TensorArray TensorArray::WithFlow(Output flow) const {
  TensorArray array = *this;
  array.flow_ = flow;
  return array;
}

TensorArray TensorArray::Identity() const { return WithFlow(weir::Identity(flow_)); }

void TensorArray::MergeElementShape(const PartialShape& shape) const {
  if (!infer_shape_ || element_shape_ == nullptr) return;
  if (!element_shape_->CompatibleWith(shape)) {
    handle_.graph().RecordError(InvalidArgument("Inconsistent shapes: saw {} but expected {}", shape, *element_shape_));
  } else if (Result<PartialShape> merged = element_shape_->Merge(shape); merged.ok()) {
    *element_shape_ = *std::move(merged);
  }
}

TensorArray TensorArray::Write(const Input& index, const Input& value, const std::string& name) const {
  if (!valid()) return {};
  Graph& graph = handle_.graph();
  NameScope scope(graph, NameOrDefault(name, "TensorArrayWrite"));
  const Output element = Element(graph, value, dtype_);
  if (!element.valid()) return {};
  MergeElementShape(element.shape());
  return WithFlow(TensorArrayWriteV3(handle_, index, element, flow_));
}

TensorArray TensorArray::Unstack(const Input& value, const std::string& name) const {
  if (!valid()) return {};
  Graph& graph = handle_.graph();
  NameScope scope(graph, NameOrDefault(name, "TensorArrayUnstack"));
  const Output rows = Element(graph, value, dtype_);
  if (!rows.valid()) return {};
  Output count = StridedSlice(ShapeOf(rows), {0}, {1}, {1}, {.shrink_axis_mask = 1, .name = "strided_slice"});
  return Scatter(UpTo(graph, count), rows);
}

TensorArray TensorArray::Scatter(const Input& indices, const Input& value, const std::string& name) const {
  if (!valid()) return {};
  Graph& graph = handle_.graph();
  NameScope scope(graph, NameOrDefault(name, "TensorArrayScatter"));
  const Output rows = Element(graph, value, dtype_);
  if (!rows.valid()) return {};
  MergeElementShape(WithoutFirst(rows.shape()));
  return WithFlow(TensorArrayScatterV3(handle_, indices, rows, flow_));
}

TensorArray TensorArray::Split(const Input& value, const Input& lengths, const std::string& name) const {
  if (!valid()) return {};
  Graph& graph = handle_.graph();
  NameScope scope(graph, NameOrDefault(name, "TensorArraySplit"));
  const Output rows = ValueOf(graph, value, dtype_, "value");
  const Output parts = ValueOf(graph, lengths, lengths.is_output() ? kInvalidType : kInt64, "lengths");
  if (!rows.valid() || !parts.valid()) return {};
  const Output counts = parts.base_dtype() == kInt64 ? parts : Cast(parts, kInt64);
  if (const Tensor known = graph.ConstantValue(counts);
      infer_shape_ && known.valid() && known.num_elements() > 0 && rows.shape().rank() > 0) {
    const std::vector<int64_t> sizes = known.Ints();
    PartialShape element = rows.shape();
    element.SetDim(
        0, std::all_of(sizes.begin(), sizes.end(), [&](int64_t s) { return s == sizes[0]; }) ? sizes[0] : kUnknownDim);
    MergeElementShape(element);
  }
  return WithFlow(TensorArraySplitV3(handle_, rows, counts, flow_));
}

Output TensorArray::Read(const Input& index, const std::string& name) const {
  if (!valid()) return InvalidOf(handle_, flow_);
  Output value = TensorArrayReadV3(handle_, index, flow_, dtype_, {.name = name});
  Constrain(value, element_shape());
  return value;
}

Output TensorArray::Stack(const std::string& name) const {
  if (!valid()) return InvalidOf(handle_, flow_);
  Graph& graph = handle_.graph();
  NameScope scope(graph, NameOrDefault(name, "TensorArrayStack"));
  return Gather(UpTo(graph, Size()));
}

Output TensorArray::Gather(const Input& indices, const std::string& name) const {
  if (!valid()) return InvalidOf(handle_, flow_);
  Output value = TensorArrayGatherV3(handle_, indices, flow_, dtype_, {.element_shape = element_shape(), .name = name});
  if (element_shape().known_rank()) Constrain(value, PartialShape{kUnknownDim}.Concat(element_shape()));
  return value;
}

Output TensorArray::Concat(const std::string& name) const {
  if (!valid()) return InvalidOf(handle_, flow_);
  const PartialShape rest = WithoutFirst(element_shape());
  return TensorArrayConcatV3(handle_, flow_, dtype_, {.element_shape_except0 = rest, .name = name}).value;
}

Output TensorArray::Size(const std::string& name) const {
  return valid() ? TensorArraySizeV3(handle_, flow_, {.name = name}) : InvalidOf(handle_, flow_);
}

TensorArray TensorArray::Grad(const std::string& source, Output flow) const {
  if (!valid()) return {};
  Graph& graph = handle_.graph();
  if (!flow.valid()) flow = flow_;
  NameScope scope(graph, "TensorArrayGrad");
  const Output handle = TensorArrayGradV3(handle_, flow, source).grad_handle;
  if (!handle.valid()) return {};
  ControlDependencies after(graph, {handle.node});
  return Wrap(handle, weir::Identity(flow, {.name = "gradient_flow"}), dtype_, element_shape(), infer_shape_);
}

Node* TensorArray::Close(const std::string& name) const {
  return valid() ? TensorArrayCloseV3(handle_, {.name = name}) : nullptr;
}

}  // namespace weir
