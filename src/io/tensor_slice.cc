#include "io/tensor_slice.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace weir::io {
namespace {

// --- encodings whose byte order is the order of the values ---

void PutOrderedUnsigned(std::string& to, uint64_t value) {
  const int bytes = (static_cast<int>(std::bit_width(value)) + 7) / 8;
  to.push_back(static_cast<char>(bytes));
  for (int i = bytes - 1; i >= 0; --i) to.push_back(static_cast<char>(value >> (8 * i)));
}

void PutOrderedString(std::string& to, std::string_view text) {
  for (const char c : text) {
    to.push_back(c);
    if (c == '\0') to.push_back('\xff');
    if (c == '\xff') to.push_back('\0');
  }
  to.append(std::string_view("\0\1", 2));
}

// Big-endian two's complement in as few bytes as possible. The leading bits are a header: as many ones as there are
// bytes (inverted for negative numbers).
void PutOrderedSigned(std::string& to, int64_t value) {
  const uint64_t magnitude = static_cast<uint64_t>(value < 0 ? ~value : value);
  const int bytes = static_cast<int>(std::bit_width(magnitude)) / 7 + 1;
  unsigned char buffer[10];
  for (int i = 0; i < 10; ++i) {
    const int shift = 8 * (9 - i);
    buffer[i] =
        static_cast<unsigned char>(shift >= 64 ? (value < 0 ? 0xff : 0) : static_cast<uint64_t>(value) >> shift);
  }
  unsigned char* begin = buffer + 10 - bytes;
  for (int bit = 0; bit < bytes; ++bit) begin[bit / 8] ^= static_cast<unsigned char>(0x80 >> (bit % 8));
  to.append(reinterpret_cast<const char*>(begin), static_cast<size_t>(bytes));
}

}  // namespace

Result<TensorSlice> TensorSlice::Parse(std::string_view text) {
  TensorSlice slice;
  if (text.empty()) return slice;
  const std::vector<std::string> parts = absl::StrSplit(absl::string_view(text.data(), text.size()), ':');
  for (const std::string& part : parts) {
    Extent extent;
    if (part != "-") {
      const std::vector<std::string> numbers = absl::StrSplit(part, ',');
      if (numbers.size() != 2 || !absl::SimpleAtoi(numbers[0], &extent.start) ||
          !absl::SimpleAtoi(numbers[1], &extent.length) || extent.start < 0 || extent.length < 0)
        return InvalidArgument("Expected a pair of numbers or '-' but got '{}': string = {}", part, text);
    }
    slice.extents_.push_back(extent);
  }
  return slice;
}

Result<TensorSlice> TensorSlice::FromProto(const tensorflow::TensorSliceProto& proto) {
  TensorSlice slice;
  if (proto.extent_size() > kMaxRank) return InvalidArgument("a slice of {} axes", proto.extent_size());
  for (const auto& from : proto.extent()) {
    Extent extent;
    if (from.has_length_hack_case() == tensorflow::TensorSliceProto::Extent::kLength) {
      extent = {.start = from.start(), .length = from.length()};
      if (extent.start < 0 || extent.length < 0)
        return InvalidArgument("a slice from {} of length {}", extent.start, extent.length);
    }
    slice.extents_.push_back(extent);
  }
  return slice;
}

void TensorSlice::ToProto(tensorflow::TensorSliceProto* proto) const {
  for (const Extent& extent : extents_) {
    auto* to = proto->add_extent();
    if (extent.length == kFull) continue;
    to->set_start(extent.start);
    to->set_length(extent.length);
  }
}

std::string TensorSlice::ToString() const {
  std::string text;
  for (const Extent& extent : extents_) {
    if (!text.empty()) text += ':';
    text += extent.length == kFull ? "-" : fmt::format("{},{}", extent.start, extent.length);
  }
  return text;
}

Result<TensorSlice> TensorSlice::Within(const Shape& shape) const {
  if (rank() != shape.rank()) return InvalidArgument("Mismatching ranks: shape = {}, slice = {}", shape, ToString());
  TensorSlice result = *this;
  for (int axis = 0; axis < rank(); ++axis) {
    Extent& extent = result.extents_[static_cast<size_t>(axis)];
    if (extent.length == kFull) extent = {.start = 0, .length = shape[axis]};
    if (extent.start > shape[axis] || extent.length > shape[axis] - extent.start)
      return InvalidArgument("Extent in dimension {} out of bounds: shape = {}, slice = {}", axis, shape, ToString());
  }
  return result;
}

Result<TensorSlice> TensorSlice::WithinForValue(const Shape& shape, const Shape& tensor) const {
  WEIR_ASSIGN(TensorSlice within, Within(shape));
  WEIR_ASSIGN(const Shape expected, within.shape());
  if (expected != tensor)
    return InvalidArgument(
        "Slice in shape_and_slice specification does not match the shape of the tensor to save: {} of {}, tensor: {}",
        ToString(), shape, tensor);
  return within;
}

Result<Shape> TensorSlice::shape() const {
  DimVector dims;
  for (const Extent& extent : extents_) dims.push_back(extent.length);
  return Shape::Make(dims);
}

bool TensorSlice::Covers(const Shape& shape) const {
  for (int axis = 0; axis < rank(); ++axis)
    if (extent(axis).length != kFull && extent(axis).length != shape[axis]) return false;
  return true;
}

std::string TensorSlice::Key(std::string_view tensor_name) const {
  std::string key;
  PutOrderedUnsigned(key, 0);
  PutOrderedString(key, tensor_name);
  PutOrderedUnsigned(key, extents_.size());
  for (const Extent& extent : extents_) {
    PutOrderedSigned(key, extent.start);
    PutOrderedSigned(key, extent.length);
  }
  return key;
}

Result<ShapeAndSlice> ParseShapeAndSlice(std::string_view text) {
  const std::vector<std::string> parts =
      absl::StrSplit(absl::string_view(text.data(), text.size()), ' ', absl::SkipEmpty());
  if (parts.size() < 2) return InvalidArgument("Need least two elements in shape_and_slice specification: {}", text);
  if (parts.size() - 1 > kMaxRank) return InvalidArgument("Too many dimensions in shape_and_slice: {}", text);
  DimVector dims;
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    int64_t dim = 0;
    if (!absl::SimpleAtoi(parts[i], &dim))
      return InvalidArgument("Non numerical dimension in shape_and_slice: {}", text);
    dims.push_back(dim);
  }
  ShapeAndSlice result;
  WEIR_ASSIGN(result.shape, Shape::Make(dims));
  WEIR_ASSIGN(result.slice, TensorSlice::Parse(parts.back()));
  WEIR_ASSIGN(result.within, result.slice.Within(result.shape));
  WEIR_ASSIGN(result.slice_shape, result.within.shape());
  return result;
}

int64_t Overlap(const TensorSlice& a, const TensorSlice& b) {
  int64_t count = 1;
  for (int axis = 0; axis < a.rank(); ++axis) {
    const TensorSlice::Extent& x = a.extent(axis);
    const TensorSlice::Extent& y = b.extent(axis);
    const int64_t begin = std::max(x.start, y.start);
    const int64_t end = std::min(x.start + x.length, y.start + y.length);
    if (end <= begin) return 0;
    count *= end - begin;
  }
  return count;
}

int64_t CopyOverlap(const TensorSlice& from_slice, const Tensor& from, const TensorSlice& to_slice, const Tensor& to) {
  const int64_t count = Overlap(from_slice, to_slice);
  if (count == 0) return 0;
  const int rank = from.rank();
  std::vector<int64_t> lengths(static_cast<size_t>(rank));
  std::vector<int64_t> from_strides(lengths.size());
  std::vector<int64_t> to_strides(lengths.size());
  int64_t from_at = 0;
  int64_t to_at = 0;
  int64_t from_stride = 1;
  int64_t to_stride = 1;
  for (int axis = rank - 1; axis >= 0; --axis) {
    const auto i = static_cast<size_t>(axis);
    const TensorSlice::Extent& x = from_slice.extent(axis);
    const TensorSlice::Extent& y = to_slice.extent(axis);
    const int64_t begin = std::max(x.start, y.start);
    lengths[i] = std::min(x.start + x.length, y.start + y.length) - begin;
    from_strides[i] = from_stride;
    to_strides[i] = to_stride;
    from_at += (begin - x.start) * from_stride;
    to_at += (begin - y.start) * to_stride;
    from_stride *= x.length;
    to_stride *= y.length;
  }
  const int64_t row = rank == 0 ? 1 : lengths.back();
  const size_t element = ElementSize(from.dtype());
  std::vector<int64_t> at(lengths.size(), 0);
  for (int64_t done = 0; done < count; done += row) {
    if (from.dtype() == kString) {
      std::copy_n(from.data<std::string>() + from_at, row, to.data<std::string>() + to_at);
    } else {
      std::memcpy(static_cast<char*>(to.raw()) + static_cast<size_t>(to_at) * element,
                  static_cast<const char*>(from.raw()) + static_cast<size_t>(from_at) * element,
                  static_cast<size_t>(row) * element);
    }
    for (int axis = rank - 2; axis >= 0; --axis) {
      const auto i = static_cast<size_t>(axis);
      from_at += from_strides[i];
      to_at += to_strides[i];
      if (++at[i] < lengths[i]) break;
      from_at -= lengths[i] * from_strides[i];
      to_at -= lengths[i] * to_strides[i];
      at[i] = 0;
    }
  }
  return count;
}

}  // namespace weir::io
