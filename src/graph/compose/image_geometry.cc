#include <cmath>
#include <optional>

#include "graph/build/array_ops.h"
#include "graph/build/flow_ops.h"
#include "graph/build/image_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/compose/array.h"
#include "graph/compose/checks.h"
#include "graph/compose/dims.h"
#include "graph/compose/flow.h"
#include "graph/compose/image.h"
#include "graph/compose/math.h"
#include "graph/compose/names.h"

namespace weir {
namespace {

// A size or an offset: a number if known, else an int32 scalar. May be negative.
struct Extent {
  std::optional<int64_t> number;
  Output value;

  Extent(int64_t n) : number(n) {}
  explicit Extent(Output v) : value(v) {}
  Input AsInput() const { return number ? Input(Tensor::Scalar(static_cast<int32_t>(*number))) : Input(value); }
};

Extent ExtentOf(Graph& graph, const Input& x) {
  if (x.literal() != nullptr) {
    const std::optional<Tensor> value = x.literal()->Value(kInt32);
    if (value && value->num_elements() == 1 && value->rank() == 0) return Extent(value->Int(0));
  }
  return Extent(ValueOf(graph, x, kInt32));
}

// numbers(a, b) if both are known, else nodes(graph, a, b).
template <class F, class G>
Extent Combine(Graph& graph, const Extent& a, const Extent& b, F&& numbers, G&& nodes) {
  if (a.number && b.number) return Extent(numbers(*a.number, *b.number));
  return Extent(nodes(graph, a.AsInput(), b.AsInput()));
}
Extent Minus(Graph& graph, const Extent& a, const Extent& b) {
  return Combine(graph, a, b, std::minus<int64_t>(),
                 [](Graph& g, Input x, Input y) { return Sub(g, x, y, {.name = "sub"}); });
}
Extent Smaller(Graph& graph, const Extent& a, const Extent& b) {
  return Combine(
      graph, a, b, [](int64_t x, int64_t y) { return std::min(x, y); },
      [](Graph& g, Input x, Input y) { return Minimum(g, x, y); });
}
Extent Larger(Graph& graph, const Extent& a, const Extent& b) {
  return Combine(
      graph, a, b, [](int64_t x, int64_t y) { return std::max(x, y); },
      [](Graph& g, Input x, Input y) { return Maximum(g, x, y); });
}
Extent Halved(Graph& graph, const Extent& a) {
  const auto floor_half = [](int64_t x, int64_t) { return x >= 0 ? x / 2 : -((1 - x) / 2); };
  return Combine(graph, a, Extent(2), floor_half,
                 [](Graph& g, Input x, Input y) { return FloorDiv(g, x, y, {.name = "floordiv"}); });
}
Extent Negated(Graph& graph, const Extent& a) { return a.number ? Extent(-*a.number) : Extent(Neg(graph, a.value)); }

// Collects assertions. Those on known values are checked at once.
class Checks {
 public:
  explicit Checks(Graph& graph) : graph_(graph) {}
  void NotNegative(const Extent& x, const char* message) { AtLeast(x, 0, message); }
  void Positive(const Extent& x, const char* message) { AtLeast(x, 1, message); }
  const std::vector<Node*>& nodes() const { return nodes_; }
  const Status& status() const { return status_; }

 private:
  void AtLeast(const Extent& x, int64_t least, const char* message) {
    if (x.number) {
      if (*x.number < least && status_.ok()) status_ = InvalidArgument("{}", message);
      return;
    }
    Output holds = GreaterEqual(graph_, x.value, Tensor::Scalar(static_cast<int32_t>(least)));
    if (Node* check = Assert(graph_, holds, {Tensor::Scalar(message)}); check != nullptr) nodes_.push_back(check);
  }
  Graph& graph_;
  std::vector<Node*> nodes_;
  Status status_;
};

// Treats a single image as a batch of one; Finished() removes the batch dimension.
struct Batch {
  Output images;  // 4-D; invalid after an error
  bool single = false;
  std::vector<Extent> dims;

  Output Finished(Output result) const {
    return single && result.valid() ? Squeeze(result, {.squeeze_dims = {0}}) : result;
  }
};

std::vector<Extent> ExtentsOf(Output x) {
  std::vector<Extent> extents;
  for (const Dim& dim : DimsOf(x)) extents.push_back(dim.known() ? Extent(dim.size) : Extent(dim.value));
  return extents;
}

Batch BatchOf(Graph& graph, const Input& image) {
  Batch batch;
  Output x = ValueOf(graph, image, kInvalidType, "image");
  if (!x.valid()) return batch;
  const PartialShape shape = x.shape();
  if (!shape.known_rank()) {  // taken for a single image
    batch.single = true;
    x = ExpandDims(graph, x, 0);
    if (!x.valid()) return batch;
    graph.RecordError(graph.SetShape(x, PartialShape::OfRank(4)));
    batch.images = x;
    batch.dims = ExtentsOf(x);
    return batch;
  }
  if (shape.rank() != 3 && shape.rank() != 4) {
    FailedOutput(graph, InvalidArgument("'image' (shape {}) must have either 3 or 4 dimensions.", shape));
    return batch;
  }
  for (int i = shape.rank() - 3; i < shape.rank(); ++i) {
    if (shape[i] == 0) {
      FailedOutput(graph, InvalidArgument("inner 3 dims of 'image.shape' must be > 0: {}", shape));
      return batch;
    }
  }
  batch.single = shape.rank() == 3;
  if (batch.single) x = ExpandDims(graph, x, 0);
  batch.images = x;
  if (x.valid()) batch.dims = ExtentsOf(x);
  return batch;
}

// Forwards `image`, which must have at least three dimensions. An unknown rank is checked in each step.
Output AtLeast3d(Graph& graph, const Input& image) {
  Output x = ValueOf(graph, image, kInvalidType, "image");
  if (!x.valid()) return x;
  const PartialShape shape = x.shape();
  if (shape.known_rank() && shape.rank() < 3)
    return FailedOutput(graph, InvalidArgument("'image' (shape {}) must be at least three-dimensional.", shape));
  if (shape.known_rank()) return WithDependencies({}, x);
  Result<Node*> check = AssertRelation(graph, Relation::kGreaterEqual, Rank(graph, x), 3,
                                       {.message = "'image' must be at least three-dimensional."});
  if (!check.ok()) return FailedOutput(graph, check.status());
  return WithDependencies({*check}, x);
}

// Calls turn(3) or turn(4), in a Cond if the rank of x is unknown.
template <class F>
Output ByRank(Graph& graph, Output x, F&& turn) {
  const PartialShape shape = x.shape();
  if (shape.rank() == 3 || shape.rank() == 4) return turn(shape.rank());
  if (shape.known_rank())
    return FailedOutput(graph, InvalidArgument("'image' (shape {}) must have either 3 or 4 dimensions.", shape));
  const auto branch = [&](int rank) {
    return [&turn, rank]() -> Result<OutputList> { return OutputList{turn(rank)}; };
  };
  Result<OutputList> turned = Cond(graph, Equal(graph, Rank(graph, x), 3), branch(3), branch(4));
  return turned.ok() ? (*turned)[0] : FailedOutput(graph, turned.status());
}

Output Resized(Graph& graph, Output images, Output size, const ResizeOptions& options) {
  switch (options.method) {
    case ResizeMethod::kBilinear:
      return ResizeBilinear(graph, images, size, {.align_corners = options.align_corners});
    case ResizeMethod::kNearestNeighbor:
      return ResizeNearestNeighbor(graph, images, size, {.align_corners = options.align_corners});
    case ResizeMethod::kBicubic:
      return ResizeBicubic(graph, images, size, {.align_corners = options.align_corners});
    case ResizeMethod::kArea:
      return ResizeArea(graph, images, size, {.align_corners = options.align_corners});
  }
  return FailedOutput(graph, InvalidArgument("Resize method is not implemented."));
}

Output AsFloat(Graph& graph, const Extent& x) { return Cast(graph, x.AsInput(), kFloat); }

// The largest size with the same proportions that fits into `size`.
Output SizeWithin(Graph& graph, const Batch& batch, Output size) {
  const auto element = [&](int i) {
    return Cast(graph, StridedSlice(size, {i}, {i + 1}, {1}, {.shrink_axis_mask = 1}), kFloat);
  };
  Output by_height = RealDiv(graph, element(0), AsFloat(graph, batch.dims[1]), {.name = "truediv"});
  Output by_width = RealDiv(graph, element(1), AsFloat(graph, batch.dims[2]), {.name = "truediv"});
  Output scale = Minimum(graph, by_height, by_width);
  const auto scaled = [&](const Extent& x) {
    return Cast(graph, Round(graph, Mul(graph, scale, AsFloat(graph, x), {.name = "mul"})), kInt32);
  };
  Output height = scaled(batch.dims[1]);
  return Pack(graph, {height, scaled(batch.dims[2])}, {.name = "size"});
}

Output SliceOf(Graph& graph, Output x, const std::vector<Extent>& begin, const std::vector<Extent>& size) {
  const auto vector = [&](const std::vector<Extent>& extents, const char* name) -> Output {
    std::vector<int32_t> numbers;
    InputList parts;
    for (const Extent& e : extents) {
      if (e.number) numbers.push_back(static_cast<int32_t>(*e.number));
      parts.push_back(e.AsInput());
    }
    if (numbers.size() == extents.size())
      return Constant(graph, Tensor::Vector<int32_t>(absl::MakeConstSpan(numbers)), name);
    return Pack(graph, parts, {.name = name});
  };
  Output first = vector(begin, "stack");
  Output part = Slice(graph, x, first, vector(size, "stack"));
  if (!part.valid()) return part;
  // A dimension that is taken whole (-1) keeps its static size, even if other sizes are known only at run time.
  PartialShape shape = PartialShape::OfRank(static_cast<int>(size.size()));
  const PartialShape whole = x.shape();
  for (size_t i = 0; i < size.size(); ++i) {
    if (!size[i].number) continue;
    const int dim = static_cast<int>(i);
    shape.SetDim(dim, *size[i].number >= 0 ? *size[i].number : begin[i].number == 0 ? whole[dim] : kUnknownDim);
  }
  graph.RecordError(graph.SetShape(part, shape));
  return part;
}

Output Crop(Graph& graph, const Input& image, const Extent& offset_height, const Extent& offset_width,
            const Extent& height, const Extent& width) {
  NameScope scope(graph, "crop_to_bounding_box");
  const Batch batch = BatchOf(graph, image);
  if (!batch.images.valid()) return Output::Failed(graph);
  Checks checks(graph);
  checks.NotNegative(offset_width, "offset_width must be >= 0.");
  checks.NotNegative(offset_height, "offset_height must be >= 0.");
  checks.Positive(width, "target_width must be > 0.");
  checks.Positive(height, "target_height must be > 0.");
  checks.NotNegative(Minus(graph, Minus(graph, batch.dims[2], width), offset_width),
                     "width must be >= target + offset.");
  checks.NotNegative(Minus(graph, Minus(graph, batch.dims[1], height), offset_height),
                     "height must be >= target + offset.");
  if (!checks.status().ok()) return FailedOutput(graph, checks.status());
  Output x = WithDependencies(checks.nodes(), batch.images);
  return batch.Finished(SliceOf(graph, x, {0, offset_height, offset_width, 0}, {-1, height, width, -1}));
}

Output Pad(Graph& graph, const Input& image, const Extent& offset_height, const Extent& offset_width,
           const Extent& height, const Extent& width) {
  NameScope scope(graph, "pad_to_bounding_box");
  const Batch batch = BatchOf(graph, image);
  if (!batch.images.valid()) return Output::Failed(graph);
  const Extent after_width = Minus(graph, Minus(graph, width, offset_width), batch.dims[2]);
  const Extent after_height = Minus(graph, Minus(graph, height, offset_height), batch.dims[1]);
  Checks checks(graph);
  checks.NotNegative(offset_height, "offset_height must be >= 0");
  checks.NotNegative(offset_width, "offset_width must be >= 0");
  checks.NotNegative(after_width, "width must be <= target - offset");
  checks.NotNegative(after_height, "height must be <= target - offset");
  if (!checks.status().ok()) return FailedOutput(graph, checks.status());
  Output x = WithDependencies(checks.nodes(), batch.images);
  const Extent zero(0);
  InputList parts;
  for (const Extent& e : {zero, zero, offset_height, after_height, offset_width, after_width, zero, zero})
    parts.push_back(e.AsInput());
  Output paddings = Reshape(graph, Stack(graph, parts), Tensor::Vector<int32_t>({4, 2}));
  Output padded = Pad(graph, x, paddings);
  if (padded.valid()) {
    const auto known = [](const Extent& e) { return e.number.value_or(kUnknownDim); };
    graph.RecordError(
        graph.SetShape(padded, {known(batch.dims[0]), known(height), known(width), known(batch.dims[3])}));
  }
  return batch.Finished(padded);
}

int64_t FlipAxis(Flip flip, int rank) { return rank - (flip == Flip::kLeftRight ? 2 : 3); }

Output Reversed(Graph& graph, Output x, int64_t axis) {
  return ReverseV2(graph, x, Tensor::Vector<int32_t>({static_cast<int32_t>(axis)}));
}

const char* FlipName(Flip flip) { return flip == Flip::kLeftRight ? "flip_left_right" : "flip_up_down"; }

// The images, after checks that the size of the result is positive.
Output CheckedTarget(Graph& graph, const Batch& batch, const Extent& height, const Extent& width) {
  Checks checks(graph);
  checks.Positive(width, "target_width must be > 0.");
  checks.Positive(height, "target_height must be > 0.");
  if (!checks.status().ok()) return FailedOutput(graph, checks.status());
  return WithDependencies(checks.nodes(), batch.images);
}

}  // namespace

Output ResizeImages(Graph& graph, const Input& images_in, const Input& size_in, const ResizeOptions& options) {
  NameScope scope(graph, NameOrDefault(options.name, "resize"));
  Output images = ValueOf(graph, images_in, kInvalidType, "images");
  if (!images.valid()) return images;
  const PartialShape shape = images.shape();
  if (!shape.known_rank()) return FailedOutput(graph, InvalidArgument("'images' contains no shape."));
  if (shape.rank() != 3 && shape.rank() != 4)
    return FailedOutput(graph, InvalidArgument("'images' must have either 3 or 4 dimensions, not {}", shape));
  Batch batch;
  batch.single = shape.rank() == 3;
  batch.images = batch.single ? ExpandDims(graph, images, 0) : images;
  if (!batch.images.valid()) return Output::Failed(graph);
  const Result<Output> converted = ToOutput(graph, size_in, kInt32, "size");
  if (!converted.ok())
    return FailedOutput(
        graph, InvalidArgument("'size' must be a 1-D int32 Tensor ({})", std::string(converted.status().message())));
  Output size = *converted;
  if (!size.shape().CompatibleWith(PartialShape{2}))
    return FailedOutput(
        graph,
        InvalidArgument("'size' must be a 1-D Tensor of 2 elements: new_height, new_width, not {}", size.shape()));
  if (options.preserve_aspect_ratio) {
    batch.dims = ExtentsOf(batch.images);
    size = SizeWithin(graph, batch, size);
    if (!size.valid()) return Output::Failed(graph);
  }
  const PartialShape whole = batch.images.shape();
  const PartialShape wanted = graph.ConstantShape(size);
  const bool known = wanted.known_rank() && wanted.rank() == 2;
  if (known && wanted[0] >= 0 && wanted[0] == whole[1] && wanted[1] >= 0 && wanted[1] == whole[2])
    return batch.Finished(batch.images);
  return batch.Finished(Resized(graph, batch.images, size, options));
}

Output CropToBoundingBox(Graph& graph, const Input& image, const Input& offset_height, const Input& offset_width,
                         const Input& target_height, const Input& target_width) {
  return Crop(graph, image, ExtentOf(graph, offset_height), ExtentOf(graph, offset_width),
              ExtentOf(graph, target_height), ExtentOf(graph, target_width));
}

Output PadToBoundingBox(Graph& graph, const Input& image, const Input& offset_height, const Input& offset_width,
                        const Input& target_height, const Input& target_width) {
  return Pad(graph, image, ExtentOf(graph, offset_height), ExtentOf(graph, offset_width),
             ExtentOf(graph, target_height), ExtentOf(graph, target_width));
}

Output ResizeWithCropOrPad(Graph& graph, const Input& image, const Input& height_in, const Input& width_in) {
  NameScope scope(graph, "resize_image_with_crop_or_pad");
  const Batch batch = BatchOf(graph, image);
  if (!batch.images.valid()) return Output::Failed(graph);
  const Extent height = ExtentOf(graph, height_in), width = ExtentOf(graph, width_in);
  Output x = CheckedTarget(graph, batch, height, width);
  if (!x.valid()) return x;
  const Extent more_width = Minus(graph, width, batch.dims[2]), more_height = Minus(graph, height, batch.dims[1]);
  const auto half_or_zero = [&](const Extent& e) { return Larger(graph, Halved(graph, e), Extent(0)); };
  const Extent crop_width = half_or_zero(Negated(graph, more_width)), pad_width = half_or_zero(more_width);
  const Extent crop_height = half_or_zero(Negated(graph, more_height)), pad_height = half_or_zero(more_height);
  Output cropped = Crop(graph, x, crop_height, crop_width, Smaller(graph, height, batch.dims[1]),
                        Smaller(graph, width, batch.dims[2]));
  if (!cropped.valid()) return cropped;
  Output padded = Pad(graph, cropped, pad_height, pad_width, height, width);
  return padded.valid() ? batch.Finished(WithDependencies({}, padded)) : padded;
}

Output ResizeWithPad(Graph& graph, const Input& image, const Input& height_in, const Input& width_in,
                     const ResizeOptions& options) {
  NameScope scope(graph, "resize_image_with_pad");
  const Batch batch = BatchOf(graph, image);
  if (!batch.images.valid()) return Output::Failed(graph);
  const Extent height = ExtentOf(graph, height_in), width = ExtentOf(graph, width_in);
  Output x = CheckedTarget(graph, batch, height, width);
  if (!x.valid()) return x;
  Output from_height = AsFloat(graph, batch.dims[1]), from_width = AsFloat(graph, batch.dims[2]);
  Output to_height = AsFloat(graph, height), to_width = AsFloat(graph, width);
  Output ratio = Maximum(graph, from_width / to_width, from_height / to_height);
  Output new_height = from_height / ratio, new_width = from_width / ratio;
  Output rows = Cast(graph, Floor(graph, new_height), kInt32), cols = Cast(graph, Floor(graph, new_width), kInt32);
  const auto offset = [&](Output target, Output used) {
    return Maximum(graph, 0, Cast(graph, Floor(graph, (target - used) / 2.0f), kInt32));
  };
  Output top = offset(to_height, new_height), left = offset(to_width, new_width);
  Output size = Pack(graph, {rows, cols}, {.name = "size"});
  Output resized = ResizeImages(graph, x, size, options);
  if (!resized.valid()) return resized;
  return batch.Finished(Pad(graph, resized, Extent(top), Extent(left), height, width));
}

Output CentralCrop(Graph& graph, const Input& image, double fraction) {
  NameScope scope(graph, "central_crop");
  if (!(fraction > 0 && fraction <= 1))
    return FailedOutput(graph, InvalidArgument("central_fraction must be within (0, 1], not {}", fraction));
  Output x = ValueOf(graph, image, kInvalidType, "image");
  if (!x.valid() || fraction == 1) return x;
  const PartialShape shape = x.shape();
  if (shape.rank() != 3 && shape.rank() != 4)
    return FailedOutput(graph,
                        InvalidArgument("`image` should either be a Tensor with rank = 3 or rank = 4, not {}", shape));
  const std::vector<Extent> dims = ExtentsOf(x);
  const bool single = shape.rank() == 3;
  const auto start_of = [&](const Extent& e) {
    if (e.number) {
      const auto size = static_cast<double>(*e.number);
      return Extent(static_cast<int64_t>((size - size * fraction) / 2));
    }
    Output size = Cast(graph, e.value, kDouble);
    return Extent(Cast(graph, (size - size * fraction) / 2.0, kInt32));
  };
  const Extent &height = dims[single ? 0 : 1], &width = dims[single ? 1 : 2];
  const Extent top = start_of(height), left = start_of(width);
  const auto rest = [&](const Extent& e, const Extent& start) {
    const Extent once = Minus(graph, e, start);
    return Minus(graph, once, start);
  };
  const Extent rows = rest(height, top), cols = rest(width, left);
  if (single) return SliceOf(graph, x, {top, left, 0}, {rows, cols, -1});
  return SliceOf(graph, x, {0, top, left, 0}, {-1, rows, cols, -1});
}

Output FlipImage(Graph& graph, const Input& image, Flip flip) {
  NameScope scope(graph, FlipName(flip));
  Output x = AtLeast3d(graph, image);
  if (!x.valid()) return x;
  return ByRank(graph, x, [&](int rank) { return Reversed(graph, x, FlipAxis(flip, rank)); });
}

namespace {

Output RandomlyFlipped(Graph& graph, Output x, int rank, Flip flip, OpSeed seed, const std::string& name) {
  const int64_t axis = FlipAxis(flip, rank);
  if (rank == 3) {
    Output chance = RandomUniform(graph, Tensor::Vector<int32_t>({}), 0, 1.0f, kFloat, seed);
    Result<OutputList> flipped = Cond(
        graph, Less(graph, chance, 0.5f), [&]() -> Result<OutputList> { return OutputList{Reversed(graph, x, axis)}; },
        [&]() -> Result<OutputList> { return OutputList{x}; }, name);
    if (!flipped.ok()) return FailedOutput(graph, flipped.status());
    graph.RecordError(graph.SetShape((*flipped)[0], x.shape()));
    return (*flipped)[0];
  }
  Output count = StridedSlice(ShapeValue(graph, x), {0}, {1}, {1}, {.shrink_axis_mask = 1});
  Output chance = RandomUniform(graph, Pack(graph, {count}), 0, 1.0f, kFloat, seed);
  Output flips = Round(graph, Reshape(graph, chance, Pack(graph, {count, 1, 1, 1})));
  if (!flips.valid()) return flips;
  flips = CastValue(graph, flips, x.base_dtype());
  return flips * Reversed(graph, x, axis) + (1 - flips) * x;
}

// `turns` is in [0, 4).
Output Turned(Graph& graph, Output x, int rank, Output turns, const std::string& name) {
  const int64_t rows = rank - 3, cols = rows + 1;
  const std::vector<int64_t> exchanged = rank == 3 ? std::vector<int64_t>{1, 0, 2} : std::vector<int64_t>{0, 2, 1, 3};
  const std::vector<CaseBranch> branches = {
      {Equal(graph, turns, 1),
       [&]() -> Result<OutputList> { return OutputList{TransposeAxes(graph, Reversed(graph, x, cols), exchanged)}; }},
      {Equal(graph, turns, 2),
       [&]() -> Result<OutputList> {
         return OutputList{
             ReverseV2(graph, x, Tensor::Vector<int32_t>({static_cast<int32_t>(rows), static_cast<int32_t>(cols)}))};
       }},
      {Equal(graph, turns, 3),
       [&]() -> Result<OutputList> { return OutputList{Reversed(graph, TransposeAxes(graph, x, exchanged), cols)}; }}};
  Result<OutputList> turned = Case(
      graph, branches, [&]() -> Result<OutputList> { return OutputList{x}; }, true, name);
  if (!turned.ok()) return FailedOutput(graph, turned.status());
  PartialShape known = x.shape().known_rank() ? x.shape() : PartialShape::OfRank(rank);
  if (known[static_cast<int>(rows)] != known[static_cast<int>(cols)]) {
    known.SetDim(static_cast<int>(rows), kUnknownDim);
    known.SetDim(static_cast<int>(cols), kUnknownDim);
  }
  graph.RecordError(graph.SetShape((*turned)[0], known));
  return (*turned)[0];
}

}  // namespace

Output RandomFlip(Graph& graph, const Input& image, Flip flip, OpSeed seed) {
  NameScope scope(graph, std::string("random_") + FlipName(flip));
  Output x = AtLeast3d(graph, image);
  if (!x.valid()) return x;
  const std::string name = x.shape().known_rank() ? ExactScopeName(scope) : "";
  return ByRank(graph, x, [&](int rank) { return RandomlyFlipped(graph, x, rank, flip, seed, name); });
}

Output Rotate90(Graph& graph, const Input& image, const Input& k_in, std::string name) {
  NameScope scope(graph, NameOrDefault(name, "rot90"));
  Output x = AtLeast3d(graph, image);
  if (!x.valid()) return x;
  Output k = ValueOf(graph, k_in, kInt32, "k");
  if (!k.valid()) return k;
  Output turns = FloorMod(graph, k, 4, {.name = "mod"});
  const std::string case_name = x.shape().known_rank() ? ExactScopeName(scope) : "";
  return ByRank(graph, x, [&](int rank) { return Turned(graph, x, rank, turns, case_name); });
}

Output TransposeImage(Graph& graph, const Input& image, std::string name) {
  NameScope scope(graph, NameOrDefault(name, "transpose"));
  Output x = AtLeast3d(graph, image);
  if (!x.valid()) return x;
  return ByRank(graph, x, [&](int rank) {
    return TransposeAxes(graph, x, rank == 3 ? std::vector<int64_t>{1, 0, 2} : std::vector<int64_t>{0, 2, 1, 3});
  });
}

SampledBox SampleDistortedBox(Graph& graph, const Input& image_size, const Input& bounding_boxes,
                              const SampleBoxOptions& options) {
  NameScope scope(graph, NameOrDefault(options.name, "sample_distorted_bounding_box"));
  const Output covered = ValueOf(graph, options.min_object_covered, kFloat, "min_object_covered");
  if (!covered.valid()) return {};
  const auto r = SampleDistortedBoundingBoxV2(graph, image_size, bounding_boxes, covered,
                                              {.seed = options.seed,
                                               .seed2 = options.seed2,
                                               .aspect_ratio_range = options.aspect_ratio_range,
                                               .area_range = options.area_range,
                                               .max_attempts = options.max_attempts,
                                               .use_image_if_no_bounding_boxes = options.use_image_if_no_bounding_boxes,
                                               .name = options.name});
  return {r.begin, r.size, r.bboxes};
}

}  // namespace weir
