#include "tensor/tensor_proto.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace weir {
namespace {

using tensorflow::TensorProto;

// ---- reading ----

// Fills all elements from a list of values. If there are fewer values than elements, the last one repeats. Without any
// values, the elements are zero.
template <class T, class Values, class Convert>
Status FillFromValues(const Values& values, Tensor* t, Convert convert) {
  const int64_t n = t->num_elements();
  const int64_t given = values.size();
  if (n == 0) return OkStatus();  // TensorFlow writes one value even for an empty constant
  if (given > n) {
    return InvalidArgument("tensor of type {} and shape {} has {} values, {} expected", t->dtype(), t->shape(), given,
                           n);
  }
  T* out = t->data<T>();
  if (given == 0) {
    t->ZeroFill();
    return OkStatus();
  }
  for (int64_t i = 0; i < given; ++i) WEIR_TRY(convert(values.Get(static_cast<int>(i)), &out[i]));
  for (int64_t i = given; i < n; ++i) out[i] = out[given - 1];
  return OkStatus();
}

// For integers that are stored in a wider field.
template <class T, class Values>
Status FillChecked(const Values& values, Tensor* t) {
  return FillFromValues<T>(values, t, [t](auto value, T* out) {
    if (!std::in_range<T>(value)) return InvalidArgument("{} is not a value of type {}", value, t->dtype());
    *out = static_cast<T>(value);
    return OkStatus();
  });
}

template <class T, class Values>
Status FillSame(const Values& values, Tensor* t) {
  return FillFromValues<T>(values, t, [](const auto& value, T* out) {
    *out = value;
    return OkStatus();
  });
}

// 16-bit floats are stored as their bits in an int32 field.
template <class T, class Values>
Status FillBits(const Values& values, Tensor* t) {
  return FillFromValues<T>(values, t, [t](int32_t value, T* out) {
    if (!std::in_range<uint16_t>(value))
      return InvalidArgument("{} is not a 16-bit pattern of a {}", value, t->dtype());
    *out = T::FromBits(static_cast<uint16_t>(value));
    return OkStatus();
  });
}

// Real and imaginary parts alternate.
template <class T, class Values>
Status FillComplex(const Values& values, Tensor* t) {
  if (values.size() % 2 != 0) return InvalidArgument("a {} tensor with an odd number of parts", t->dtype());
  struct Pairs {
    const Values& parts;
    int size() const { return parts.size() / 2; }
    T Get(int i) const { return T(parts.Get(2 * i), parts.Get(2 * i + 1)); }
  };
  return FillSame<T>(Pairs{values}, t);
}

void CopyHandle(const tensorflow::ResourceHandleProto& from, ResourceHandle* to) {
  to->device = from.device();
  to->container = from.container();
  to->name = from.name();
  to->type_hash = from.hash_code();
  to->type_name = from.maybe_type_name();
}

Status FillFromFields(const TensorProto& proto, Tensor* t) {
  switch (t->dtype()) {
    case kFloat:
      return FillSame<float>(proto.float_val(), t);
    case kDouble:
      return FillSame<double>(proto.double_val(), t);
    case kInt32:
    case kQint32:
      return FillSame<int32_t>(proto.int_val(), t);
    case kUint8:
    case kQuint8:
      return FillChecked<uint8_t>(proto.int_val(), t);
    case kInt16:
    case kQint16:
      return FillChecked<int16_t>(proto.int_val(), t);
    case kInt8:
    case kQint8:
      return FillChecked<int8_t>(proto.int_val(), t);
    case kUint16:
    case kQuint16:
      return FillChecked<uint16_t>(proto.int_val(), t);
    case kInt64:
      return FillSame<int64_t>(proto.int64_val(), t);
    case kUint32:
      return FillSame<uint32_t>(proto.uint32_val(), t);
    case kUint64:
      return FillSame<uint64_t>(proto.uint64_val(), t);
    case kBool:
      return FillSame<bool>(proto.bool_val(), t);
    case kHalf:
      return FillBits<half>(proto.half_val(), t);
    case kBFloat16:
      return FillBits<bfloat16>(proto.half_val(), t);
    case kComplex64:
      return FillComplex<std::complex<float>>(proto.scomplex_val(), t);
    case kComplex128:
      return FillComplex<std::complex<double>>(proto.dcomplex_val(), t);
    case kString:
      return FillSame<std::string>(proto.string_val(), t);
    case kResource:
      return FillFromValues<ResourceHandle>(proto.resource_handle_val(), t, [](const auto& from, ResourceHandle* to) {
        CopyHandle(from, to);
        return OkStatus();
      });
    default:
      return Unimplemented("tensors of type {} cannot be read", t->dtype());
  }
}

// Removes the next varint from `*text`. Returns false if there is none or it does not fit 32 bits.
bool TakeVarint(std::string_view* text, uint32_t* value) {
  uint64_t result = 0;
  for (int shift = 0; shift < 35 && !text->empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(text->front());
    text->remove_prefix(1);
    result |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) {
      *value = static_cast<uint32_t>(result);
      return result <= std::numeric_limits<uint32_t>::max();
    }
  }
  return false;
}

// Strings in tensor_content: all lengths as varints, then all bytes.
Status FillStrings(std::string_view content, Tensor* t) {
  const auto malformed = [t] {
    return InvalidArgument("malformed content of a string tensor of shape {}", t->shape());
  };
  std::vector<uint32_t> lengths(static_cast<size_t>(t->num_elements()));
  for (uint32_t& length : lengths) {
    if (!TakeVarint(&content, &length)) return malformed();
  }
  std::string* out = t->data<std::string>();
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] > content.size()) return malformed();
    out[i].assign(content.substr(0, lengths[i]));
    content.remove_prefix(lengths[i]);
  }
  return content.empty() ? OkStatus() : malformed();
}

// Checks what can be checked before the elements are allocated.
Status CheckContentSize(const TensorProto& proto, DType dtype, const Shape& shape) {
  const auto size = static_cast<int64_t>(proto.tensor_content().size());
  if (dtype == kResource) return InvalidArgument("a resource tensor cannot be stored in tensor_content");
  if (dtype == kString) {
    if (size < shape.num_elements()) {
      return InvalidArgument("malformed content of a string tensor of shape {}", shape);
    }
    return OkStatus();
  }
  Result<int64_t> expected = CheckedMultiply(shape.num_elements(), static_cast<int64_t>(ElementSize(dtype)));
  if (!expected.ok() || *expected != size) {
    return InvalidArgument("tensor of type {} and shape {} has {} bytes of content", dtype, shape, size);
  }
  return OkStatus();
}

// ---- writing ----

bool AllSame(const Tensor& t) {
  const int64_t n = t.num_elements();
  if (t.dtype() == kString) {
    const std::string* s = t.data<std::string>();
    return std::all_of(s, s + n, [s](const std::string& other) { return other == *s; });
  }
  // If the memory equals itself shifted by one element, all elements have the same bits.
  const size_t element = ElementSize(t.dtype());
  return std::memcmp(t.raw(), static_cast<const char*>(t.raw()) + element, t.num_bytes() - element) == 0;
}

void AddFirstValue(const Tensor& t, TensorProto* proto) {
  switch (t.dtype()) {
    case kFloat:
      proto->add_float_val(*t.data<float>());
      break;
    case kDouble:
      proto->add_double_val(*t.data<double>());
      break;
    case kInt32:
    case kQint32:
      proto->add_int_val(*t.data<int32_t>());
      break;
    case kUint8:
    case kQuint8:
      proto->add_int_val(*t.data<uint8_t>());
      break;
    case kInt16:
    case kQint16:
      proto->add_int_val(*t.data<int16_t>());
      break;
    case kInt8:
    case kQint8:
      proto->add_int_val(*t.data<int8_t>());
      break;
    case kUint16:
    case kQuint16:
      proto->add_int_val(*t.data<uint16_t>());
      break;
    case kInt64:
      proto->add_int64_val(*t.data<int64_t>());
      break;
    case kUint32:
      proto->add_uint32_val(*t.data<uint32_t>());
      break;
    case kUint64:
      proto->add_uint64_val(*t.data<uint64_t>());
      break;
    case kBool:
      proto->add_bool_val(*t.data<bool>());
      break;
    case kHalf:
      proto->add_half_val(t.data<half>()->bits);
      break;
    case kBFloat16:
      proto->add_half_val(t.data<bfloat16>()->bits);
      break;
    case kComplex64:
      proto->add_scomplex_val(t.data<std::complex<float>>()->real());
      proto->add_scomplex_val(t.data<std::complex<float>>()->imag());
      break;
    case kComplex128:
      proto->add_dcomplex_val(t.data<std::complex<double>>()->real());
      proto->add_dcomplex_val(t.data<std::complex<double>>()->imag());
      break;
    case kString:
      proto->add_string_val(*t.data<std::string>());
      break;
    default:
      break;
  }
}

}  // namespace

void ToProto(const PartialShape& shape, tensorflow::TensorShapeProto* proto) {
  proto->Clear();
  if (!shape.known_rank()) {
    proto->set_unknown_rank(true);
    return;
  }
  for (int64_t d : shape.dims()) proto->add_dim()->set_size(d);
}

Result<PartialShape> FromProto(const tensorflow::TensorShapeProto& proto) {
  if (proto.unknown_rank()) {
    if (proto.dim_size() > 0) return InvalidArgument("a shape of unknown rank lists {} dimensions", proto.dim_size());
    return PartialShape::Unknown();
  }
  if (proto.dim_size() > kMaxRank) {
    return InvalidArgument("a shape of {} dimensions: at most {} are supported", proto.dim_size(), kMaxRank);
  }
  DimVector dims;
  for (const auto& dim : proto.dim()) dims.push_back(dim.size());
  return PartialShape::Make(dims);
}

void ToProto(const Tensor& tensor, TensorProto* proto) {
  proto->Clear();
  proto->set_dtype(static_cast<tensorflow::DataType>(tensor.dtype()));
  ToProto(PartialShape(tensor.shape()), proto->mutable_tensor_shape());
  const int64_t n = tensor.num_elements();
  if (!tensor.valid() || n == 0) return;
  if (tensor.dtype() == kResource) {
    for (const ResourceHandle& handle : tensor.flat<ResourceHandle>()) {
      tensorflow::ResourceHandleProto* out = proto->add_resource_handle_val();
      out->set_device(handle.device);
      out->set_container(handle.container);
      out->set_name(handle.name);
      out->set_hash_code(handle.type_hash);
      out->set_maybe_type_name(handle.type_name);
    }
  } else if (AllSame(tensor)) {
    AddFirstValue(tensor, proto);
  } else if (tensor.dtype() == kString) {
    for (const std::string& value : tensor.flat<std::string>()) proto->add_string_val(value);
  } else {
    proto->mutable_tensor_content()->assign(static_cast<const char*>(tensor.raw()), tensor.num_bytes());
  }
}

Result<Tensor> FromProto(const TensorProto& proto) {
  WEIR_ASSIGN(const DType dtype, DTypeFromNumber(proto.dtype()));
  if (IsRef(dtype) || ElementSize(dtype) == 0) return InvalidArgument("a tensor cannot be of type {}", dtype);
  WEIR_ASSIGN(const PartialShape partial, FromProto(proto.tensor_shape()));
  if (!partial.fully_defined()) return InvalidArgument("a tensor cannot have the partly unknown shape {}", partial);
  const Shape shape = partial.ToShape();
  const std::string& content = proto.tensor_content();
  if (!content.empty()) WEIR_TRY(CheckContentSize(proto, dtype, shape));
  WEIR_ASSIGN(Tensor t, Tensor::Allocate(dtype, shape));
  if (content.empty()) {
    WEIR_TRY(FillFromFields(proto, &t));
  } else if (dtype == kString) {
    WEIR_TRY(FillStrings(content, &t));
  } else if (dtype == kBool) {
    if (std::any_of(content.begin(), content.end(), [](char c) { return c != 0 && c != 1; })) {
      return InvalidArgument("a bool tensor of shape {} has content other than 0 and 1", shape);
    }
    std::memcpy(t.raw(), content.data(), content.size());
  } else {
    std::memcpy(t.raw(), content.data(), content.size());
  }
  return t;
}

}  // namespace weir
