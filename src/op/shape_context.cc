// Common shape functions. They return an error only if no run could succeed; unknown dimensions stay unknown.
#include "op/shape_context.h"

#include "op/cursor.h"

namespace weir {
namespace {

void SetAllOutputs(ShapeContext& c, const PartialShape& shape) {
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, shape);
}

Status RankError(const PartialShape& shape, std::string_view relation, int rank) {
  return InvalidArgument("Shape must be {}rank {} but is rank {}", relation, rank, shape.rank());
}

// "d0_1": dimension 1 of input 0.
Result<int64_t> ParseInputDim(std::string_view word, absl::Span<const PartialShape> inputs) {
  Cursor in(word.substr(1));
  WEIR_ASSIGN(const int64_t input, in.Number<int64_t>());
  WEIR_TRY(in.Expect("_"));
  WEIR_ASSIGN(const int64_t dim, in.Number<int64_t>());
  if (!in.AtEnd() || input < 0 || input >= static_cast<int64_t>(inputs.size()) || dim < 0) {
    return InvalidArgument("'{}' is not a dimension of an input", word);
  }
  const PartialShape& shape = inputs[input];
  if (!shape.known_rank()) return kUnknownDim;
  if (dim >= shape.rank()) return InvalidArgument("'{}' is out of range for shape {}", word, shape);
  return shape.dim(static_cast<int>(dim));
}

Result<PartialShape> ParseOneShape(Cursor& in, absl::Span<const PartialShape> inputs) {
  if (in.Take("?")) return PartialShape();
  if (in.Take("in")) {
    WEIR_ASSIGN(const int64_t input, in.Number<int64_t>());
    if (input < 0 || input >= static_cast<int64_t>(inputs.size())) return in.Error("no such input");
    return inputs[input];
  }
  WEIR_TRY(in.Expect("["));
  std::vector<int64_t> dims;
  while (!in.Take("]")) {
    if (!dims.empty()) WEIR_TRY(in.Expect(","));
    if (in.Take("?")) {
      dims.push_back(kUnknownDim);
    } else if (in.Peek() == 'd') {
      WEIR_ASSIGN(const int64_t size, ParseInputDim(in.Word(), inputs));
      dims.push_back(size);
    } else {
      WEIR_ASSIGN(const int64_t size, in.Number<int64_t>());
      if (size < 0) return in.Error("a size is negative ('?' is unknown)");
      dims.push_back(size);
    }
  }
  return PartialShape::Make(dims);
}

}  // namespace

bool ShapeContext::RecordAccess(const char* kind, int index, size_t count) const {
  if (access_error_.ok()) {
    access_error_ = Internal("the shape function used {} {}, but there are {} {}s", kind, index, count, kind);
  }
  return false;
}

const PartialShape& ShapeContext::UnknownShape() {
  static const PartialShape unknown;
  return unknown;
}

Status RunShapeFn(const ShapeFn& shape, ShapeContext& context) {
  const int num_outputs = context.num_outputs();
  Status status = shape(context);
  WEIR_TRY(context.access_error());
  if (status.ok() && context.num_outputs() != num_outputs) {
    return Internal("the shape function returned {} shapes for {} outputs", context.num_outputs(), num_outputs);
  }
  return status;
}

Result<PartialShape> ShapeContext::WithRank(int input, int rank) const {
  const PartialShape& shape = this->input(input);
  if (!shape.known_rank()) return PartialShape::OfRank(rank);
  if (shape.rank() != rank) return RankError(shape, "", rank);
  return shape;
}

Result<PartialShape> ShapeContext::WithRankAtLeast(int input, int rank) const {
  const PartialShape& shape = this->input(input);
  if (shape.known_rank() && shape.rank() < rank) return RankError(shape, "at least ", rank);
  return shape;
}

Result<PartialShape> ShapeContext::WithRankAtMost(int input, int rank) const {
  const PartialShape& shape = this->input(input);
  if (shape.known_rank() && shape.rank() > rank) return RankError(shape, "at most ", rank);
  return shape;
}

ShapeFn SameAsInput(int input, RankBounds bounds) {
  return [=](ShapeContext& c) -> Status {
    WEIR_TRY(c.WithRankAtLeast(input, bounds.min_rank).status());
    WEIR_TRY(c.WithRankAtMost(input, bounds.max_rank).status());
    SetAllOutputs(c, c.input(input));
    return OkStatus();
  };
}

ShapeFn ScalarOutputs() {
  return [](ShapeContext& c) {
    SetAllOutputs(c, PartialShape::Scalar());
    return OkStatus();
  };
}

ShapeFn NoOutputs() {
  return [](ShapeContext&) { return OkStatus(); };
}

ShapeFn UnknownOutputs() {
  return [](ShapeContext& c) {
    SetAllOutputs(c, PartialShape());
    return OkStatus();
  };
}

ShapeFn BroadcastInputs(int a, int b) {
  return [=](ShapeContext& c) -> Status {
    WEIR_ASSIGN(const PartialShape shape, BroadcastShapes(c.input(a), c.input(b)));
    SetAllOutputs(c, shape);
    return OkStatus();
  };
}

ShapeFn MergedInputs() {
  return [](ShapeContext& c) -> Status {
    PartialShape merged;
    for (int i = 0; i < c.num_inputs(); ++i) {
      Result<PartialShape> both = merged.Merge(c.input(i));
      if (!both.ok()) return both.status();
      merged = *std::move(both);
    }
    SetAllOutputs(c, merged);
    return OkStatus();
  };
}

ShapeFn ShapeFromAttr(std::string attr) {
  return [attr = std::move(attr)](ShapeContext& c) -> Status {
    WEIR_ASSIGN(const PartialShape shape, c.Attr<PartialShape>(attr));
    SetAllOutputs(c, shape);
    return OkStatus();
  };
}

Result<PartialShape> ShapeOfInputValue(ShapeContext& c, int input) {
  WEIR_ASSIGN(const PartialShape vector, c.WithRank(input, 1));
  PartialShape shape = c.constant_as_shape(input);
  if (const Tensor* value = c.constant(input);
      value != nullptr && (value->dtype() == kInt32 || value->dtype() == kInt64))
    for (const int64_t size : value->Ints())
      if (size < kUnknownDim) return InvalidArgument("Invalid value in tensor used for shape: {}", size);
  if (!shape.known_rank() && vector.rank() == 1 && vector[0] >= 0) {
    if (vector[0] > kMaxRank) return InvalidArgument("a shape of rank {}: at most {} is possible", vector[0], kMaxRank);
    return PartialShape::OfRank(static_cast<int>(vector[0]));
  }
  return shape;
}

ShapeFn FixedShapes(std::string text) {
  return [text = std::move(text)](ShapeContext& c) -> Status {
    std::vector<PartialShape> inputs;
    for (int i = 0; i < c.num_inputs(); ++i) inputs.push_back(c.input(i));
    WEIR_ASSIGN(std::vector<PartialShape> shapes, ParseShapes(text, inputs));
    if (static_cast<int>(shapes.size()) != c.num_outputs()) {
      return Internal("'{}' gives {} shapes for {} outputs", text, shapes.size(), c.num_outputs());
    }
    c.outputs() = std::move(shapes);
    return OkStatus();
  };
}

Result<std::vector<PartialShape>> ParseShapes(std::string_view text, absl::Span<const PartialShape> inputs) {
  Cursor in(text);
  std::vector<PartialShape> shapes;
  if (in.AtEnd()) return shapes;
  do {
    WEIR_ASSIGN(PartialShape shape, ParseOneShape(in, inputs));
    shapes.push_back(std::move(shape));
  } while (in.Take(";"));
  if (!in.AtEnd()) return in.Error("';' expected");
  return shapes;
}

std::string ShapesToText(absl::Span<const PartialShape> shapes) {
  std::string text;
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (i > 0) text += ';';
    if (!shapes[i].known_rank()) {
      text += '?';
      continue;
    }
    text += '[';
    for (int d = 0; d < shapes[i].rank(); ++d) {
      if (d > 0) text += ',';
      text += shapes[i][d] < 0 ? std::string("?") : std::to_string(shapes[i][d]);
    }
    text += ']';
  }
  return text;
}

Result<PartialShape> ShapeFromTensor(const Tensor& value) {
  if (value.dtype() != kInt32 && value.dtype() != kInt64) {
    return InvalidArgument("a shape must be int32 or int64, but is {}", value.dtype());
  }
  if (value.rank() == 0 && value.Int(0) == kUnknownDim) return PartialShape();
  if (value.rank() != 1) return InvalidArgument("a shape must be a vector, but has shape {}", value.shape());
  if (value.num_elements() > kMaxRank) {
    return InvalidArgument("a shape of rank {}: at most {} is possible", value.num_elements(), kMaxRank);
  }
  return PartialShape::Make(value.Ints());
}

Result<PartialShape> BroadcastShapes(const PartialShape& a, const PartialShape& b) {
  if (!a.known_rank() || !b.known_rank()) return PartialShape();
  const PartialShape& longer = a.rank() >= b.rank() ? a : b;
  const PartialShape& shorter = a.rank() >= b.rank() ? b : a;
  const int shift = longer.rank() - shorter.rank();
  DimVector dims(longer.dims());
  for (int i = 0; i < shorter.rank(); ++i) {
    const int64_t x = longer[i + shift];
    const int64_t y = shorter[i];
    int64_t& out = dims[i + shift];
    if (x == y || y == 1) {
      out = x;
    } else if (x == 1 || x == kUnknownDim) {
      out = y;  // y is not 1, so an unknown x must be 1 or y
    } else if (y == kUnknownDim) {
      out = x;
    } else {
      return InvalidArgument("Dimensions must be equal, but are {} and {}", &longer == &a ? x : y,
                             &longer == &a ? y : x);
    }
  }
  return PartialShape(std::move(dims));
}

Result<int64_t> MergeDims(int64_t a, int64_t b) {
  if (a == kUnknownDim) return b;
  if (b == kUnknownDim || a == b) return a;
  return InvalidArgument("Dimensions must be equal, but are {} and {}", a, b);
}

int64_t AddDims(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (a < 0 || b < 0 || __builtin_add_overflow(a, b, &sum)) return kUnknownDim;
  return sum;
}

}  // namespace weir
