// Unique and related ops: distinct elements (or slices along an axis) in order of first occurrence; ListDiff: the
// elements of one list that are not in the other.
#include <algorithm>
#include <bit>
#include <limits>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/element_keys.h"
#include "ops/array/elements.h"
#include "ops/array/int_inputs.h"
#include "ops/array/strided_copy.h"

namespace weir::ops {
namespace {

struct Distinct {
  std::vector<int64_t> first;   // index of the first occurrence of each distinct item
  std::vector<int64_t> number;  // for every item, the number of its distinct item
};

// Hash table from keys to numbers. At most half full, so that a lookup probes one or two entries. Grows with the number
// of distinct keys.
class WordKeyTable {
 public:
  explicit WordKeyTable(int64_t most)
      : places_(std::bit_ceil(static_cast<size_t>(std::clamp<int64_t>(2 * most, 16, 1 << 14)))) {}

  // Returns the number of the key and whether it is new; a new key gets the number `next`.
  std::pair<int64_t, bool> Add(uint64_t key, int64_t next) {
    Entry& place = Find(key);
    if (place.number >= 0) return {place.number, false};
    place = {key, next};
    if (++taken_ * 2 > places_.size()) Grow();
    return {next, true};
  }

 private:
  struct Entry {
    uint64_t key = 0;
    int64_t number = -1;  // negative: free
  };

  Entry& Find(uint64_t key) {
    size_t at = absl::Hash<uint64_t>()(key);
    for (;; ++at) {
      Entry& place = places_[at & (places_.size() - 1)];
      if (place.number < 0 || place.key == key) return place;
    }
  }
  void Grow() {
    const std::vector<Entry> before = std::exchange(places_, std::vector<Entry>(places_.size() * 4));
    for (const Entry& place : before) {
      if (place.number >= 0) Find(place.key) = place;
    }
  }

  std::vector<Entry> places_;
  size_t taken_ = 0;
};

// The same for other types of keys.
template <class Key>
class KeyTable {
 public:
  explicit KeyTable(int64_t) {}
  std::pair<int64_t, bool> Add(Key key, int64_t next) {
    const auto [it, is_new] = numbers_.try_emplace(std::move(key), next);
    return {it->second, is_new};
  }

 private:
  absl::flat_hash_map<Key, int64_t> numbers_;
};

// key(i) returns the key of item i, or nullopt if the item equals no other.
template <class Numbers, class KeyOf>
Distinct FindDistinct(int64_t n, KeyOf&& key) {
  Distinct d;
  d.number.resize(static_cast<size_t>(n));
  Numbers seen(n);
  for (int64_t i = 0; i < n; ++i) {
    const auto next = static_cast<int64_t>(d.first.size());
    auto k = key(i);
    const auto [number, is_new] = k ? seen.Add(*std::move(k), next) : std::pair(next, true);
    if (is_new) d.first.push_back(i);
    d.number[static_cast<size_t>(i)] = number;
  }
  return d;
}

// The items are the rows of `rows`, each of `width` elements.
Result<Distinct> DistinctRows(const Tensor& rows, int64_t n, int64_t width) {
  if (width == 1 && rows.dtype() == kInt64) {
    const int64_t* keys = rows.data<int64_t>();
    return FindDistinct<WordKeyTable>(n, [=](int64_t i) { return std::optional<uint64_t>(keys[i]); });
  }
  if (width == 1 && HasWordKeys(rows.dtype()))
    return FindDistinct<WordKeyTable>(n, [&](int64_t i) { return WordKey(rows, i); });
  if (width == 1 && rows.dtype() == kString) {
    const std::string* s = rows.data<std::string>();
    return FindDistinct<KeyTable<std::string_view>>(n,
                                                    [&](int64_t i) { return std::optional<std::string_view>(s[i]); });
  }
  if (!HasWordKeys(rows.dtype()) && rows.dtype() != kString)
    return Unimplemented("elements of type {} cannot be compared for equality", rows.dtype());
  return FindDistinct<KeyTable<std::string>>(n, [&](int64_t i) -> std::optional<std::string> {
    std::string key;
    for (int64_t k = i * width; k < (i + 1) * width; ++k) {
      uint64_t word = 0;
      if (rows.dtype() == kString) {
        word = rows.data<std::string>()[k].size();
      } else {
        const std::optional<uint64_t> w = WordKey(rows, k);
        if (!w) return std::nullopt;
        word = *w;
      }
      key.append(reinterpret_cast<const char*>(&word), sizeof(word));
      if (rows.dtype() == kString) key.append(rows.data<std::string>()[k]);
    }
    return key;
  });
}

Status SetInts(KernelContext& ctx, int output, const std::vector<int64_t>& values) {
  if (ctx.output_type(output) == kInt32 && values.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max()))
    return InvalidArgument("unique does not support input tensors larger than {} elements",
                           std::numeric_limits<int32_t>::max());
  WEIR_ASSIGN(Tensor t, IntVector(ctx.output_type(output), values));
  ctx.set_output(output, std::move(t));
  return OkStatus();
}

Status RunUnique(KernelContext& ctx, bool with_axis, bool with_counts) {
  const Tensor& x = ctx.input(0);
  int axis = 0;
  bool whole = true;
  if (with_axis) {
    if (ctx.input(1).rank() != 1)
      return InvalidArgument("axis expects a 1D vector, got shape {}", ctx.input(1).shape());
    const Ints axes = IntsOf(ctx.input(1));
    if (axes.size() > 1) return InvalidArgument("axis does not support input tensors larger than 1 elements");
    if (!axes.empty()) {
      WEIR_ASSIGN(axis, CheckedAxis(axes[0], x.rank(), "axis"));
      whole = false;
    }
  }
  if (whole && x.rank() != 1) return InvalidArgument("unique expects a 1D vector, got shape {}", x.shape());
  const int64_t n = x.dim(axis);
  const int64_t width = n == 0 ? 1 : x.num_elements() / n;
  // Move the axis to the front, so that an item is a row.
  Tensor rows = x;
  if (axis != 0) {
    std::vector<int> perm = {axis};
    DimVector dims = {n};
    for (int i = 0; i < x.rank(); ++i) {
      if (i == axis) continue;
      perm.push_back(i);
      dims.push_back(x.dim(i));
    }
    WEIR_ASSIGN(Shape turned, Shape::Make(dims));
    WEIR_ASSIGN(rows, ctx.AllocateTemp(x.dtype(), turned));
    TransposeInto(ctx, x, perm, rows);
  }
  WEIR_ASSIGN(Distinct found, DistinctRows(rows, n, width));
  Shape shape = x.shape();
  WEIR_TRY(shape.SetDim(axis, static_cast<int64_t>(found.first.size())));
  WEIR_ASSIGN(Tensor y, ctx.Allocate(0, shape));
  const Elements elements(x.dtype());
  const int64_t inner = RowMajorStrides(x.shape())[axis];
  const int64_t outer = inner == 0 || n == 0 ? 0 : x.num_elements() / (n * inner);
  const auto distinct = static_cast<int64_t>(found.first.size());
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t k = 0; k < distinct; ++k)
      elements.Copy(elements.At(y, (o * distinct + k) * inner),
                    elements.At(x, (o * n + found.first[static_cast<size_t>(k)]) * inner), inner);
  }
  WEIR_TRY(SetInts(ctx, 1, found.number));
  if (with_counts) {
    std::vector<int64_t> counts(found.first.size());
    for (int64_t k : found.number) ++counts[static_cast<size_t>(k)];
    WEIR_TRY(SetInts(ctx, 2, counts));
  }
  return OkStatus();
}

template <bool kWithAxis, bool kWithCounts>
Result<Kernel> MakeUnique(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) { return RunUnique(ctx, kWithAxis, kWithCounts); });
}

// The kernel checks that x is a vector. As in TensorFlow, only Unique itself checks it here, too.
Status UniqueShape(ShapeContext& ctx) {
  if (ctx.num_outputs() == 2) WEIR_TRY(ctx.WithRank(0, 1).status());
  ctx.set_output(0, PartialShape::OfRank(1));
  ctx.set_output(1, ctx.input(0));
  if (ctx.num_outputs() > 2) ctx.set_output(2, PartialShape::OfRank(1));
  return OkStatus();
}

Status UniqueV2Shape(ShapeContext& ctx) {
  PartialShape out = ctx.input(0);
  int64_t along = kUnknownDim;
  const std::optional<Ints> axes = ConstantInts(ctx, 1);
  if (!axes) {
    if (out.known_rank()) out = PartialShape::OfRank(out.rank());
  } else if (out.known_rank()) {
    if (ctx.input(1).known_rank() && ctx.input(1).rank() != 1) return InvalidArgument("axis expects a 1D vector.");
    if (axes->size() > 1) return InvalidArgument("axis does not support input tensors larger than 1 elements");
    if (axes->empty() && out.rank() != 1) return InvalidArgument("without an axis x must be a vector, got {}", out);
    WEIR_ASSIGN(int axis, CheckedAxis(axes->empty() ? 0 : (*axes)[0], out.rank(), "axis"));
    along = out[axis];
    out.SetDim(axis, kUnknownDim);
  }
  ctx.set_output(0, std::move(out));
  ctx.set_output(1, PartialShape({along}));
  if (ctx.num_outputs() > 2) ctx.set_output(2, PartialShape::OfRank(1));
  return OkStatus();
}

template <class Key, class KeyOf>
std::vector<int64_t> Missing(const Tensor& x, const Tensor& y, KeyOf&& key) {
  absl::flat_hash_set<Key> known;
  for (int64_t i = 0; i < y.num_elements(); ++i) {
    if (const std::optional<Key> k = key(y, i)) known.insert(*k);
  }
  std::vector<int64_t> missing;
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    const std::optional<Key> k = key(x, i);
    if (!k || !known.contains(*k)) missing.push_back(i);
  }
  return missing;
}

Status RunListDiff(KernelContext& ctx) {
  const Tensor &x = ctx.input(0), &y = ctx.input(1);
  if (x.rank() != 1 || y.rank() != 1)
    return InvalidArgument("x and y should be 1D vectors, got shapes {} and {}", x.shape(), y.shape());
  std::vector<int64_t> missing;
  if (x.dtype() == kString) {
    missing = Missing<std::string_view>(
        x, y, [](const Tensor& t, int64_t i) { return std::optional<std::string_view>(t.data<std::string>()[i]); });
  } else if (HasWordKeys(x.dtype())) {
    missing = Missing<uint64_t>(x, y, WordKey);
  } else {
    return Unimplemented("elements of type {} cannot be compared for equality", x.dtype());
  }
  WEIR_ASSIGN(Tensor out, ctx.Allocate(0, Shape{static_cast<int64_t>(missing.size())}));
  const Elements elements(x.dtype());
  for (size_t k = 0; k < missing.size(); ++k)
    elements.Copy(elements.At(out, static_cast<int64_t>(k)), elements.At(x, missing[k]), 1);
  return SetInts(ctx, 1, missing);
}

}  // namespace

void RegisterUnique(OpRegistry& registry) {
  const std::string out_idx = "out_idx: {int32, int64} = DT_INT32";
  const std::string axis_type = "Taxis: {int32, int64} = DT_INT64";
  registry.Add({
      .name = "Unique",
      .signature = "x: T -> y: T, idx: out_idx",
      .attrs = {"T: type", out_idx},
      .shape = UniqueShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeUnique<false, false>),
  });
  registry.Add({
      .name = "UniqueV2",
      .signature = "x: T, axis: Taxis -> y: T, idx: out_idx",
      .attrs = {"T: type", axis_type, out_idx},
      .shape = UniqueV2Shape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeUnique<true, false>),
  });
  registry.Add({
      .name = "UniqueWithCounts",
      .signature = "x: T -> y: T, idx: out_idx, count: out_idx",
      .attrs = {"T: type", out_idx},
      .shape = UniqueShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeUnique<false, true>),
  });
  registry.Add({
      .name = "UniqueWithCountsV2",
      .signature = "x: T, axis: Taxis -> y: T, idx: out_idx, count: out_idx",
      .attrs = {"T: type", axis_type, out_idx},
      .shape = UniqueV2Shape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeUnique<true, true>),
  });
  registry.Add({
      .name = "ListDiff",
      .signature = "x: T, y: T -> out: T, idx: out_idx",
      .attrs = {"T: type", out_idx},
      .shape = [](ShapeContext& ctx) -> Status {
        WEIR_TRY(ctx.WithRank(0, 1).status());
        WEIR_TRY(ctx.WithRank(1, 1).status());
        ctx.set_output(0, PartialShape::OfRank(1));
        ctx.set_output(1, PartialShape::OfRank(1));
        return OkStatus();
      },
      .no_gradient = kNoGradient,
      .kernels = CpuKernel([](KernelSetup&) -> Result<Kernel> { return Kernel::Sync(RunListDiff); }),
  });
}

}  // namespace weir::ops
