#include "tensor/tensor.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>

#include "absl/strings/escaping.h"
#include "tensor/strings.h"
#include "weir/base/error.h"

namespace weir {
namespace {

// A buffer of C++ objects: its constructor and destructor construct and destroy them.
template <class T>
class ObjectBuffer final : public Buffer {
 public:
  ObjectBuffer(BufferPtr memory, int64_t count)
      : Buffer(memory->data(), memory->size()), memory_(std::move(memory)), count_(count) {
    std::uninitialized_value_construct_n(static_cast<T*>(data_), count_);
  }

 private:
  ~ObjectBuffer() override { std::destroy_n(static_cast<T*>(data_), count_); }
  BufferPtr memory_;
  int64_t count_;
};

// Writes digits10 digits if they identify the value, else max_digits10.
template <class T>
void AppendReal(T value, std::string* out) {
  constexpr int kShort = std::numeric_limits<T>::digits10;
  std::string text = fmt::format("{:.{}g}", value, kShort);
  if (std::isfinite(value) && static_cast<T>(std::strtod(text.c_str(), nullptr)) != value) {
    text = fmt::format("{:.{}g}", value, std::numeric_limits<T>::max_digits10);
  }
  out->append(text);
}

void AppendValue(const Tensor& t, int64_t i, bool quote, std::string* out) {
  const auto number = [out](auto value) { fmt::format_to(std::back_inserter(*out), "{}", value); };
  const auto real = [out](auto value) { AppendReal(value, out); };
  const auto complex = [out](auto value) {
    out->push_back('(');
    AppendReal(value.real(), out);
    out->push_back(',');
    AppendReal(value.imag(), out);
    out->push_back(')');
  };
  switch (t.dtype()) {
    case kFloat:
      return real(t.data<float>()[i]);
    case kDouble:
      return real(t.data<double>()[i]);
    case kHalf:
      return real(float(t.data<half>()[i]));
    case kBFloat16:
      return real(float(t.data<bfloat16>()[i]));
    case kInt8:
    case kQint8:
      return number(int{t.data<int8_t>()[i]});
    case kUint8:
    case kQuint8:
      return number(int{t.data<uint8_t>()[i]});
    case kInt16:
    case kQint16:
      return number(t.data<int16_t>()[i]);
    case kUint16:
    case kQuint16:
      return number(t.data<uint16_t>()[i]);
    case kInt32:
    case kQint32:
      return number(t.data<int32_t>()[i]);
    case kUint32:
      return number(t.data<uint32_t>()[i]);
    case kInt64:
      return number(t.data<int64_t>()[i]);
    case kUint64:
      return number(t.data<uint64_t>()[i]);
    case kBool:
      return number(int{t.data<bool>()[i]});
    case kComplex64:
      return complex(t.data<std::complex<float>>()[i]);
    case kComplex128:
      return complex(t.data<std::complex<double>>()[i]);
    case kString: {
      const std::string& value = t.data<std::string>()[i];
      out->append(quote ? "\"" + absl::CEscape(value) + "\"" : absl::Utf8SafeCEscape(value));
      return;
    }
    case kResource: {
      const ResourceHandle& handle = t.data<ResourceHandle>()[i];
      fmt::format_to(std::back_inserter(*out), "<{} '{}/{}'>", handle.type_name, handle.container, handle.name);
      return;
    }
    default:
      out->append("?");
  }
}

// Writes dimensions [dim, rank) starting at element *next, in nested brackets. Stops after `limit` elements.
void AppendNested(const Tensor& t, int dim, int64_t limit, int64_t* next, std::string* out) {
  if (dim == t.rank()) {
    AppendValue(t, (*next)++, /*quote=*/true, out);
    return;
  }
  out->push_back('[');
  for (int64_t i = 0; i < t.dim(dim); ++i) {
    if (i > 0) out->push_back(' ');
    if (*next >= limit) {
      out->append("...");
      break;
    }
    AppendNested(t, dim + 1, limit, next, out);
  }
  out->push_back(']');
}

// TensorFlow's format: no spaces between groups, a truncated row ends in "...", rows beyond the limit are omitted.
void AppendSummary(const Tensor& t, int dim, int64_t limit, int64_t* next, std::string* out) {
  if (dim == t.rank()) {
    AppendValue(t, (*next)++, /*quote=*/false, out);
    return;
  }
  const bool innermost = dim == t.rank() - 1;
  for (int64_t i = 0; i < t.dim(dim); ++i) {
    if (*next >= limit) {
      if (innermost || dim == 0) out->append("...");
      return;
    }
    if (!innermost) out->push_back('[');
    if (innermost && i > 0) out->push_back(' ');
    AppendSummary(t, dim + 1, limit, next, out);
    if (!innermost) out->push_back(']');
  }
  if (dim == 0 && *next < t.num_elements()) out->append("...");
}

}  // namespace

Result<Tensor> Tensor::Allocate(Allocator& allocator, DType dtype, const Shape& shape) {
  const size_t element = ElementSize(dtype);
  if (element == 0 || IsRef(dtype)) {
    return Unimplemented("cannot allocate a tensor of type {}", dtype);
  }
  Result<int64_t> bytes = CheckedMultiply(shape.num_elements(), static_cast<int64_t>(element));
  if (!bytes.ok()) {
    return ResourceExhausted("a tensor of type {} and shape {} is too large: it needs more than 2^63 bytes", dtype,
                             shape);
  }
  Result<BufferPtr> memory = allocator.Allocate(static_cast<size_t>(*bytes));
  if (!memory.ok()) {
    return WithContext(memory.status(), fmt::format("tensor of type {} and shape {}", dtype, shape));
  }
  Tensor t;
  t.dtype_ = dtype;
  t.shape_ = shape;
  t.buffer_ = *std::move(memory);
  if (dtype == kString) {
    t.buffer_ = MakeIntrusive<ObjectBuffer<std::string>>(std::move(t.buffer_), shape.num_elements());
  } else if (dtype == kResource) {
    t.buffer_ = MakeIntrusive<ObjectBuffer<ResourceHandle>>(std::move(t.buffer_), shape.num_elements());
  }
  t.data_ = t.buffer_->data();
  return t;
}

Result<Tensor> Tensor::Zeros(DType dtype, const Shape& shape) {
  WEIR_ASSIGN(Tensor t, Allocate(dtype, shape));
  if (IsPlain(dtype)) std::memset(t.data_, 0, t.num_bytes());
  return t;
}

Tensor Tensor::FromBuffer(DType dtype, const Shape& shape, BufferPtr buffer, void* data) {
  Tensor t;
  t.dtype_ = dtype;
  t.shape_ = shape;
  t.buffer_ = std::move(buffer);
  t.data_ = data;
  return t;
}

std::vector<int64_t> Tensor::Ints() const {
  std::vector<int64_t> values(static_cast<size_t>(num_elements()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = Int(static_cast<int64_t>(i));
  return values;
}

void Tensor::FailTypeCheck(DType requested) const {
  throw Error(
      StatusCode::kInvalidArgument,
      fmt::format("a tensor of type {} and shape {} was accessed as {}: use the C++ type that belongs to its dtype()",
                  dtype_, shape_, requested));
}

void Tensor::FailCountCheck(const Shape& shape, size_t count) {
  throw Error(StatusCode::kInvalidArgument,
              fmt::format("a tensor of shape {} has {} elements, not {}", shape, shape.num_elements(), count));
}

Tensor Tensor::Reshaped(const Shape& shape) const {
  if (shape.num_elements() != num_elements()) [[unlikely]]
    FailCountCheck(shape, static_cast<size_t>(num_elements()));
  Tensor t = *this;
  t.shape_ = shape;
  return t;
}

Tensor Tensor::BitcastTo(DType dtype) const {
  WEIR_CHECK(ElementSize(dtype) == ElementSize(dtype_) && (dtype == dtype_ || (IsPlain(dtype) && IsPlain(dtype_))),
             dtype, dtype_);
  Tensor t = *this;
  t.dtype_ = dtype;
  return t;
}

Tensor Tensor::Lease() const {
  if (!buffer_) return *this;
  buffer_->AddReader();
  BufferPtr lease = WrapMemory(data_, num_bytes(), [lent = buffer_] { lent->RemoveReader(); });
  lease->AddReader();  // so that OwnsMemoryAlone() is false for the lease
  return FromBuffer(dtype_, shape_, std::move(lease), data_);
}

Tensor Tensor::Slice(int64_t begin, int64_t end) const {
  WEIR_CHECK(rank() >= 1 && begin >= 0 && begin <= end && end <= dim(0), begin, end, shape_);
  Tensor t = *this;
  const int64_t row = dim(0) == 0 ? 0 : num_elements() / dim(0);
  const Status status = t.shape_.SetDim(0, end - begin);
  WEIR_CHECK(status.ok(), std::string(status.message()));
  t.data_ = static_cast<char*>(data_) + static_cast<size_t>(begin * row) * ElementSize(dtype_);
  return t;
}

Result<Tensor> Tensor::Clone() const {
  if (!valid()) return *this;
  WEIR_ASSIGN(Tensor copy, Allocate(dtype_, shape_));
  if (dtype_ == kString) {
    WEIR_TRY(ReserveStrings(flat<std::string>()));
    std::copy_n(data<std::string>(), num_elements(), copy.data<std::string>());
  } else if (dtype_ == kResource) {
    std::copy_n(data<ResourceHandle>(), num_elements(), copy.data<ResourceHandle>());
  } else if (num_bytes() != 0) {
    std::memcpy(copy.data_, data_, num_bytes());
  }
  return copy;
}

void Tensor::ZeroFill() const {
  if (dtype_ == kString) {
    for (std::string& s : flat<std::string>()) s.clear();
  } else if (dtype_ == kResource) {
    for (ResourceHandle& h : flat<ResourceHandle>()) h = ResourceHandle();
  } else if (data_ != nullptr && num_bytes() != 0) {
    std::memset(data_, 0, num_bytes());
  }
}

std::string Tensor::ToString(int max_elements) const {
  if (!valid()) return "<no tensor>";
  std::string text = fmt::format("{} {} ", dtype_, shape_);
  if (num_elements() == 0) return text + "[]";  // other dimensions may be huge
  int64_t next = 0;
  AppendNested(*this, 0, max_elements, &next, &text);
  return text;
}

std::string Tensor::SummarizeValue(int max_entries) const {
  std::string text = "[";
  int64_t next = 0;
  if (valid() && num_elements() > 0) {
    AppendSummary(*this, 0, max_entries < 0 ? num_elements() : max_entries, &next, &text);
  }
  return text + "]";
}

}  // namespace weir
