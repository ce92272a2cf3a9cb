#include "ops/nn/sliding_window.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "absl/strings/str_join.h"

namespace weir::ops {
namespace {

// Keeps the arithmetic below far from overflow.
constexpr int64_t kMostElements = int64_t{1} << 40;
constexpr int64_t kMostAttr = std::numeric_limits<int32_t>::max();

bool Has(const AttrMap& attrs, std::string_view name) { return attrs.find(name) != attrs.end(); }

}  // namespace

Result<SlidingWindow::Dims> SpatialPart(const AttrMap& attrs, const char* name, int dims, bool channels_first,
                                        WindowUse use) {
  WEIR_ASSIGN(const std::vector<int64_t> all, GetAttr<std::vector<int64_t>>(attrs, name));
  const std::string text = absl::StrJoin(all, ",");
  const std::string_view attr = name;
  if (static_cast<int>(all.size()) != dims + 2)
    return InvalidArgument("Sliding window {} field must specify {} dimensions, but is [{}]", name, dims + 2, text);
  const bool positive = std::all_of(all.begin(), all.end(), [](int64_t size) { return size > 0; });
  if (attr == "ksize" && !positive && use != WindowUse::kPoolingGradient)
    return InvalidArgument("Sliding window ksize must be positive. The specified or inferred ksize is: {}", text);
  const auto channel = static_cast<size_t>(channels_first ? 1 : dims + 1);
  if (use == WindowUse::kPooling || use == WindowUse::kPoolOfChannel || use == WindowUse::kPoolingGradient) {
    if (all[0] != 1)
      return Unimplemented("Pooling is not yet supported on the batch dimension. {} is [{}]", name, text);
    if (all[channel] != 1 && !(attr == "strides" && use == WindowUse::kPoolOfChannel))
      return Unimplemented("Pooling is not yet supported on the depth dimension: {} is [{}]", name, text);
    if (attr == "ksize" && !positive)
      return InvalidArgument("Sliding window ksize must be positive. The specified or inferred ksize is: {}", text);
  } else if (all[0] != 1 || all[channel] != 1) {
    const bool gradient = use == WindowUse::kGradient || attr == "dilations";
    return MakeStatus(
        gradient ? StatusCode::kInvalidArgument : StatusCode::kUnimplemented,
        fmt::format("Current implementation does not yet support {} in the batch and depth dimensions. They are [{}]",
                    name, text));
  }
  SlidingWindow::Dims spatial = {};
  for (int i = 0; i < dims; ++i) {
    const int64_t value = all[static_cast<size_t>((channels_first ? 2 : 1) + i)];
    if (value < 1)
      return attr == "dilations" ? InvalidArgument("Dilated rates should be larger than 0. They are [{}]", text)
                                 : InvalidArgument("Stride must be > 0, but got {}", value);
    if (value > kMostAttr) return InvalidArgument("{} must be less than 2^31, but is [{}]", name, text);
    spatial[static_cast<size_t>(i)] = value;
  }
  return spatial;
}

Status SlidingWindow::CheckForShape(const AttrMap& attrs, int dims, std::string_view op) {
  bool channels_first = false;
  if (Has(attrs, "data_format")) {
    WEIR_ASSIGN(const std::string format, GetAttr<std::string>(attrs, "data_format"));
    channels_first = format.starts_with("NC");
  }
  const std::pair<const char*, const char*> checked[] = {
      {"strides", "stride"}, {"ksize", "ksize"}, {"dilations", "dilation"}};
  for (const auto& [name, shown] : checked) {
    if (!Has(attrs, name)) continue;
    WEIR_ASSIGN(const std::vector<int64_t> all, GetAttr<std::vector<int64_t>>(attrs, name));
    if (static_cast<int>(all.size()) != dims + 2)
      return InvalidArgument("{} requires the {} attribute to contain {} values, but got: {}", op, shown, dims + 2,
                             all.size());
    for (int i = 0; i < dims; ++i) {
      const int64_t value = all[static_cast<size_t>((channels_first ? 2 : 1) + i)];
      if (value < 1 && name == std::string_view("strides"))
        return InvalidArgument("Stride must be > 0, but got {}", value);
      if (value < 1 && name == std::string_view("dilations"))
        return InvalidArgument("Dilation rate must be >= 1, but got {}", value);
    }
  }
  return OkStatus();
}

Result<SlidingWindow> SlidingWindow::FromAttrs(const AttrMap& attrs, int dims, WindowUse use) {
  SlidingWindow w;
  w.dims = dims;
  if (Has(attrs, "data_format")) {
    WEIR_ASSIGN(const std::string format, GetAttr<std::string>(attrs, "data_format"));
    w.channels_first = format.starts_with("NC");
  }
  WEIR_ASSIGN(w.stride, SpatialPart(attrs, "strides", dims, w.channels_first, use));
  w.dilation.fill(1);
  if (Has(attrs, "dilations")) {
    WEIR_ASSIGN(w.dilation, SpatialPart(attrs, "dilations", dims, w.channels_first, use));
  }
  WEIR_ASSIGN(const std::string padding, GetAttr<std::string>(attrs, "padding"));
  w.padding = padding == "SAME" ? Padding::kSame : padding == "VALID" ? Padding::kValid : Padding::kExplicit;
  std::vector<int64_t> pads;
  if (Has(attrs, "explicit_paddings")) {
    WEIR_ASSIGN(pads, GetAttr<std::vector<int64_t>>(attrs, "explicit_paddings"));
  }
  if (w.padding != Padding::kExplicit) {
    if (!pads.empty()) return InvalidArgument("explicit_paddings must be empty unless padding is EXPLICIT");
    return w;
  }
  if (static_cast<int>(pads.size()) != 2 * w.rank())
    return InvalidArgument("explicit_paddings must have {} values with EXPLICIT padding, but has {}", 2 * w.rank(),
                           pads.size());
  for (int axis = 0; axis < w.rank(); ++axis) {
    const int64_t before = pads[static_cast<size_t>(2 * axis)];
    const int64_t after = pads[static_cast<size_t>(2 * axis + 1)];
    if (before < 0 || after < 0 || before > kMostAttr || after > kMostAttr)
      return InvalidArgument(
          "explicit_paddings must be nonnegative and less than 2^31, but are ({}, {}) in dimension {}", before, after,
          axis);
    if (axis == 0 || axis == w.channel_axis()) {
      if (before != 0 || after != 0)
        return InvalidArgument("explicit_paddings in the batch and depth dimensions must be 0, but are ({}, {})",
                               before, after);
      continue;
    }
    w.before[static_cast<size_t>(axis - w.spatial_axis(0))] = before;
    w.after[static_cast<size_t>(axis - w.spatial_axis(0))] = after;
  }
  return w;
}

Result<SlidingWindow::Fit> SlidingWindow::ComputeFit(int i, int64_t in, int64_t size) const {
  if (in < 0 || in > kMostElements || size < 1 || size > kMostAttr)
    return InvalidArgument("a window of {} elements cannot slide over {} elements", size, in);
  const auto d = static_cast<size_t>(i);
  const int64_t reach = (size - 1) * dilation[d] + 1;  // below 2^62
  if (padding == Padding::kSame) {
    const int64_t out = (in + stride[d] - 1) / stride[d];
    if (out == 0) return Fit{};
    return Fit{out, std::max<int64_t>(0, (out - 1) * stride[d] + reach - in) / 2};
  }
  const bool padded = padding == Padding::kExplicit;
  const int64_t whole = in + (padded ? before[d] + after[d] : 0);
  if (whole == 0 && reach <= stride[d]) return Fit{};  // no elements, no results
  if (whole < reach)
    return InvalidArgument(
        "Computed output size would be negative: {} [input_size: {}, effective_filter_size: {}, stride: {}]",
        (whole - reach) / stride[d] + 1, whole, reach, stride[d]);
  return Fit{(whole - reach) / stride[d] + 1, padded ? before[d] : 0};
}

Result<int64_t> SlidingWindow::OutputSize(int i, int64_t in, int64_t size) const {
  if (in < 0 || (size < 0 && padding != Padding::kSame)) return kUnknownDim;
  const auto d = static_cast<size_t>(i);
  const Result<Fit> fit = ComputeFit(i, in, size < 0 ? 1 : size);
  if (!fit.ok() && padding != Padding::kSame && size > 0)
    return InvalidArgument("Negative dimension size caused by subtracting {} from {}", (size - 1) * dilation[d] + 1,
                           in + (padding == Padding::kExplicit ? before[d] + after[d] : 0));
  WEIR_TRY(fit.status());
  return fit->out;
}

DimVector SlidingWindow::ImageDims(int64_t batch, absl::Span<const int64_t> spatial, int64_t channels) const {
  DimVector all(static_cast<size_t>(rank()));
  all[0] = batch;
  all[static_cast<size_t>(channel_axis())] = channels;
  for (int i = 0; i < dims; ++i) all[static_cast<size_t>(spatial_axis(i))] = spatial[static_cast<size_t>(i)];
  return all;
}

}  // namespace weir::ops
