// ShapeContext: what a shape function gets: partial input shapes, constant inputs and attributes of its node. The
// shape function sets the output shapes. The functions below cover common cases: `.shape = SameAsInput(0)`.
#ifndef WEIR_OP_SHAPE_CONTEXT_H_
#define WEIR_OP_SHAPE_CONTEXT_H_

#include "op/op_def.h"

namespace weir {

// Type and shape of the variable behind a resource handle. kInvalidType and an unknown shape for other resources.
struct HandleInfo {
  DType dtype = kInvalidType;
  PartialShape shape;
};

// Indices are checked: an out-of-range access returns an unknown shape, and inference fails with access_error().
class ShapeContext final {
 public:
  // Provides constant input values on demand. A call may evaluate a part of the graph.
  class Constants {
   public:
    virtual ~Constants() = default;
    virtual const Tensor* Value(int input) = 0;    // null if not constant
    virtual PartialShape AsShape(int input) = 0;   // a shape vector, which may be known only in part
    virtual HandleInfo Handle(int) { return {}; }  // for resource inputs
  };

  ShapeContext(const AttrMap& attrs, std::vector<PartialShape> inputs, std::vector<DType> input_types, int num_outputs,
               Constants* constants)
      : attrs_(attrs),
        inputs_(std::move(inputs)),
        input_types_(std::move(input_types)),
        outputs_(num_outputs),
        constants_(constants) {}

  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  const PartialShape& input(int i) const { return HasInput(i) ? inputs_[i] : UnknownShape(); }
  DType input_type(int i) const {
    return HasInput(i) && static_cast<size_t>(i) < input_types_.size() ? input_types_[i] : kInvalidType;
  }
  // The value of input i if it is known before the run, else null.
  const Tensor* constant(int i) { return HasInput(i) && constants_ != nullptr ? constants_->Value(i) : nullptr; }
  // The value of input i interpreted as a shape ([2, -1] -> [2,?]), as far as known.
  PartialShape constant_as_shape(int i) {
    return HasInput(i) && constants_ != nullptr ? constants_->AsShape(i) : PartialShape();
  }
  // The variable behind the resource handle in input i.
  HandleInfo handle(int i) { return HasInput(i) && constants_ != nullptr ? constants_->Handle(i) : HandleInfo(); }
  template <class T>
  Result<T> Attr(std::string_view name) const {
    return GetAttr<T>(attrs_, name);
  }
  const AttrMap& attrs() const { return attrs_; }

  void set_output(int i, PartialShape shape) {
    if (HasOutput(i)) outputs_[i] = std::move(shape);
  }
  const PartialShape& output(int i) const { return HasOutput(i) ? outputs_[i] : UnknownShape(); }
  std::vector<PartialShape>& outputs() { return outputs_; }

  // The first out-of-range access, or OK. The message does not name the node: the caller adds it.
  const Status& access_error() const { return access_error_; }

  // The input's shape constrained to the rank (exact, at least, at most), or an error with both ranks.
  Result<PartialShape> WithRank(int input, int rank) const;
  Result<PartialShape> WithRankAtLeast(int input, int rank) const;
  Result<PartialShape> WithRankAtMost(int input, int rank) const;

 private:
  // Whether the node has this input or output. Records an error if not.
  bool HasInput(int i) const {
    return static_cast<size_t>(i) < inputs_.size() || RecordAccess("input", i, inputs_.size());
  }
  bool HasOutput(int i) const {
    return static_cast<size_t>(i) < outputs_.size() || RecordAccess("output", i, outputs_.size());
  }
  [[gnu::cold, gnu::noinline]] bool RecordAccess(const char* kind, int index, size_t count) const;
  static const PartialShape& UnknownShape();

  const AttrMap& attrs_;
  std::vector<PartialShape> inputs_;
  std::vector<DType> input_types_;
  std::vector<PartialShape> outputs_;
  Constants* constants_;
  mutable Status access_error_;
};

// Runs a shape function. Also fails if the function used an input or output that the node does not have, or changed the
// number of outputs.
Status RunShapeFn(const ShapeFn& shape, ShapeContext& context);

struct RankBounds {
  int min_rank = 0;
  int max_rank = kMaxRank;
};

// --- common shape functions ---
ShapeFn SameAsInput(int input, RankBounds bounds = {});  // every output has the shape of `input`
ShapeFn ScalarOutputs();                                 // every output is a scalar
ShapeFn NoOutputs();
ShapeFn UnknownOutputs();
ShapeFn BroadcastInputs(int a = 0, int b = 1);  // NumPy broadcasting of two inputs
ShapeFn MergedInputs();                         // all inputs and outputs have the same shape
ShapeFn ShapeFromAttr(std::string attr = "shape");
ShapeFn FixedShapes(std::string text);  // in the syntax of ParseShapes

// --- shapes as text and as tensors ---
// "[2,?];?;in0;[d0_1,3]": shapes separated by ';', '?' unknown, "inK" the shape of input K, "dK_I" its dimension I.
Result<std::vector<PartialShape>> ParseShapes(std::string_view text, absl::Span<const PartialShape> inputs = {});
// The inverse of ParseShapes: "[2,?];?".
std::string ShapesToText(absl::Span<const PartialShape> shapes);
// The shape in a shape tensor: a vector with -1 for unknown sizes, or the scalar -1 for an unknown rank.
Result<PartialShape> ShapeFromTensor(const Tensor& value);
// The shape held by the value of `input`, as far as known: if only the length of the vector is known, that is the rank.
Result<PartialShape> ShapeOfInputValue(ShapeContext& c, int input);

// --- dimension arithmetic, where -1 is unknown ---
Result<PartialShape> BroadcastShapes(const PartialShape& a, const PartialShape& b);
Result<int64_t> MergeDims(int64_t a, int64_t b);
int64_t AddDims(int64_t a, int64_t b);

}  // namespace weir

#endif  // WEIR_OP_SHAPE_CONTEXT_H_
