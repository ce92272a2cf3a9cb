#include "cluster/wire.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "op/node_error.h"
#include "tensor/tensor_proto.h"

namespace weir {
namespace {

using google::protobuf::internal::WireFormatLite;

constexpr int kTypeField = 1;
constexpr int kShapeField = 2;
constexpr int kDimField = 2;      // of a shape
constexpr int kDimSizeField = 1;  // of a dimension
constexpr int kContentField = 4;
constexpr int kStringsField = 8;
constexpr int kNameField = 1;
constexpr int kNamedTensorField = 2;
constexpr int kChunkField = 1000;  // of RecvTensorResponse, between Weir tasks only

constexpr size_t kSmallTensor = 1024;  // the content of smaller tensors is copied into the message
constexpr size_t kMaxTensorHeader = 1024;

void AddVarint(uint64_t value, std::string* text) {
  while (value >= 0x80) {
    text->push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  text->push_back(static_cast<char>(value));
}

void AddTag(int field, WireFormatLite::WireType type, std::string* text) {
  AddVarint(static_cast<uint64_t>(field) << 3 | static_cast<uint64_t>(type), text);
}

void AddBytesHeader(int field, uint64_t size, std::string* text) {
  AddTag(field, WireFormatLite::WIRETYPE_LENGTH_DELIMITED, text);
  AddVarint(size, text);
}

struct Field {
  int number = 0;
  int type = 0;
  uint64_t value = 0;  // of a varint; otherwise the number of bytes that follow
};

// Reads the header of the next field. Its bytes, if it has any, follow.
bool ReadField(RopeReader& reader, Field* field) {
  uint64_t tag = 0;
  if (!reader.ReadVarint(&tag) || tag >> 3 == 0 || tag >> 3 >= (uint64_t{1} << 29)) return false;
  field->number = static_cast<int>(tag >> 3);
  field->type = static_cast<int>(tag & 7);
  switch (field->type) {
    case WireFormatLite::WIRETYPE_VARINT:
      return reader.ReadVarint(&field->value);
    case WireFormatLite::WIRETYPE_LENGTH_DELIMITED:
      return reader.ReadVarint(&field->value) && field->value <= reader.left();
    case WireFormatLite::WIRETYPE_FIXED32:
      field->value = 4;
      return reader.left() >= 4;
    case WireFormatLite::WIRETYPE_FIXED64:
      field->value = 8;
      return reader.left() >= 8;
    default:
      return false;  // groups
  }
}

// Copies the field unchanged, for protobuf to parse.
bool CopyField(RopeReader& reader, const Field& field, std::string* to) {
  AddTag(field.number, static_cast<WireFormatLite::WireType>(field.type), to);
  if (field.type == WireFormatLite::WIRETYPE_VARINT) {
    AddVarint(field.value, to);
    return true;
  }
  if (field.type == WireFormatLite::WIRETYPE_LENGTH_DELIMITED) AddVarint(field.value, to);
  return reader.ReadAppend(to, field.value);
}

Status Malformed(std::string_view what) { return InvalidArgument("cannot parse {}: malformed bytes", what); }

// Reads plain elements, in the memory that they were received in if it is suitable. Compares sizes before it allocates
// memory.
Result<Tensor> ReadContent(const tensorflow::TensorProto& header, RopeReader& reader, size_t size) {
  const auto dtype = static_cast<DType>(header.dtype());
  WEIR_ASSIGN(const PartialShape partial, FromProto(header.tensor_shape()));
  if (!partial.fully_defined()) return InvalidArgument("a tensor cannot have the partly unknown shape {}", partial);
  const Shape shape = partial.ToShape();
  Result<int64_t> bytes = CheckedMultiply(shape.num_elements(), static_cast<int64_t>(ElementSize(dtype)));
  if (!bytes.ok() || static_cast<uint64_t>(*bytes) != size)
    return InvalidArgument("tensor of type {} and shape {} has {} bytes of content", dtype, shape, size);
  void* data = nullptr;
  if (BufferPtr received = reader.TakeBuffer(size, &data))
    return Tensor::FromBuffer(dtype, shape, std::move(received), data);
  WEIR_ASSIGN(Tensor tensor, Tensor::Allocate(dtype, shape));
  if (!reader.Read(tensor.raw(), size)) return Malformed("tensor");
  return tensor;
}

// True if all byte patterns are valid elements of the type.
bool TakesAnyBytes(int type) {
  const Result<DType> dtype = DTypeFromNumber(type);
  return dtype.ok() && *dtype != kInvalidType && !IsRef(*dtype) && IsPlain(*dtype) && *dtype != kBool;
}

// The number of elements that the message stores a value for.
int64_t NumValues(const tensorflow::TensorProto& proto) {
  return std::max<int64_t>({proto.half_val_size(), proto.float_val_size(), proto.double_val_size(),
                            proto.int_val_size(), proto.string_val_size(), proto.scomplex_val_size() / 2,
                            proto.int64_val_size(), proto.bool_val_size(), proto.dcomplex_val_size() / 2,
                            proto.resource_handle_val_size(), proto.uint32_val_size(), proto.uint64_val_size()});
}

// In a constant one value may stand for any number of elements. On the wire only small tensors may do that, so that a
// short message cannot take much memory.
Status CheckNumValues(const tensorflow::TensorProto& proto) {
  constexpr int64_t kMaxRepeated = 1 << 16;
  WEIR_ASSIGN(const PartialShape partial, FromProto(proto.tensor_shape()));
  if (!partial.fully_defined() || !proto.tensor_content().empty()) return OkStatus();  // FromProto checks these
  const Shape shape = partial.ToShape();
  const int64_t given = NumValues(proto);
  if (shape.num_elements() > given && shape.num_elements() > kMaxRepeated)
    return InvalidArgument("a tensor of shape {} has only {} values", shape, given);
  return OkStatus();
}

// Moves the strings into the tensor if there is one for each element. FromProto handles all other cases.
Result<Tensor> TakeStrings(tensorflow::TensorProto proto, std::vector<std::string> strings) {
  WEIR_ASSIGN(const PartialShape partial, FromProto(proto.tensor_shape()));
  const bool fits = partial.fully_defined() && proto.dtype() == tensorflow::DT_STRING && NumValues(proto) == 0 &&
                    proto.tensor_content().empty() &&
                    partial.ToShape().num_elements() == static_cast<int64_t>(strings.size());
  if (!fits) {
    for (std::string& value : strings) proto.add_string_val(std::move(value));
    WEIR_TRY(CheckNumValues(proto));
    return FromProto(proto);
  }
  WEIR_ASSIGN(Tensor tensor, Tensor::Allocate(kString, partial.ToShape()));
  std::move(strings.begin(), strings.end(), tensor.data<std::string>());
  return tensor;
}

// Removes the varint at the start of `bytes`.
bool TakeVarint(std::string_view* bytes, uint64_t* value) {
  constexpr size_t kMaxBytes = 10;
  *value = 0;
  for (size_t i = 0; i < std::min(kMaxBytes, bytes->size()); ++i) {
    const auto byte = static_cast<unsigned char>((*bytes)[i]);
    *value |= uint64_t{byte & 0x7fu} << (7 * i);
    if (byte >= 0x80) continue;
    bytes->remove_prefix(i + 1);
    return true;
  }
  return false;
}

bool TakeTag(std::string_view* bytes, int field, WireFormatLite::WireType type) {
  const auto tag = static_cast<char>(field << 3 | type);
  if (bytes->empty() || bytes->front() != tag) return false;
  bytes->remove_prefix(1);
  return true;
}

bool TakeBytes(std::string_view* bytes, int field, std::string_view* inner) {
  uint64_t size = 0;
  if (!TakeTag(bytes, field, WireFormatLite::WIRETYPE_LENGTH_DELIMITED) || !TakeVarint(bytes, &size) ||
      size > bytes->size())
    return false;
  *inner = bytes->substr(0, size);
  bytes->remove_prefix(size);
  return true;
}

// Fast path for small tensors as Weir writes them: type, shape, content. Invalid for all others, malformed ones
// included: the slow path reports errors.
Tensor ReadSmallTensor(std::string_view bytes) {
  uint64_t type = 0;
  std::string_view shape_bytes;
  std::string_view content;
  if (!TakeTag(&bytes, kTypeField, WireFormatLite::WIRETYPE_VARINT) || !TakeVarint(&bytes, &type) || type > 0x7f ||
      !TakesAnyBytes(static_cast<int>(type)) || !TakeBytes(&bytes, kShapeField, &shape_bytes) ||
      !TakeBytes(&bytes, kContentField, &content) || !bytes.empty() || content.empty())
    return Tensor();
  const auto dtype = static_cast<DType>(type);
  DimVector dims;
  uint64_t elements = 1;
  while (!shape_bytes.empty()) {
    std::string_view dim;
    uint64_t size = 0;
    if (!TakeBytes(&shape_bytes, kDimField, &dim) || !TakeTag(&dim, kDimSizeField, WireFormatLite::WIRETYPE_VARINT) ||
        !TakeVarint(&dim, &size) || !dim.empty() || size == 0 || size > content.size() / elements)
      return Tensor();
    elements *= size;
    dims.push_back(static_cast<int64_t>(size));
  }
  if (dims.size() > static_cast<size_t>(kMaxRank) || elements * ElementSize(dtype) != content.size()) return Tensor();
  const Result<Shape> shape = Shape::Make(dims);
  if (!shape.ok()) return Tensor();
  Result<Tensor> tensor = Tensor::Allocate(dtype, *shape);
  if (!tensor.ok()) return Tensor();
  std::memcpy(tensor->raw(), content.data(), content.size());
  return *std::move(tensor);
}

// Reads the tensor in the next `size` bytes.
Result<Tensor> ReadTensor(RopeReader& reader, size_t size) {
  if (const std::string_view next = reader.Peek(); size <= kSmallTensor + kMaxTensorHeader && size <= next.size()) {
    if (Tensor small = ReadSmallTensor(next.substr(0, size)); small.valid()) {
      reader.Skip(size);
      return small;
    }
  }
  const size_t end = reader.left() - size;
  std::string rest;  // every field but the content and the strings, which may be too large for protobuf
  std::vector<std::string> strings;
  Rope content;
  bool has_content = false;
  while (reader.left() > end) {
    Field field;
    if (!ReadField(reader, &field) || reader.left() < end) return Malformed("tensor");
    if (field.number == kContentField && field.type == WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      if (reader.left() - end < field.value) return Malformed("tensor");
      // Nearly always type and shape are known by now and nothing follows: read straight into the tensor.
      tensorflow::TensorProto header;
      if (reader.left() - end == field.value && header.ParseFromString(rest) && TakesAnyBytes(header.dtype()) &&
          field.value > 0)
        return ReadContent(header, reader, field.value);
      content = Rope();
      if (!reader.Take(field.value, &content)) return Malformed("tensor");
      has_content = true;
    } else if (field.number == kStringsField && field.type == WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      if (reader.left() - end < field.value || !reader.Read(&strings.emplace_back(), field.value))
        return Malformed("tensor");
    } else if (reader.left() - end < (field.type == WireFormatLite::WIRETYPE_VARINT ? 0 : field.value) ||
               !CopyField(reader, field, &rest)) {
      return Malformed("tensor");
    }
  }
  tensorflow::TensorProto proto;
  if (!proto.ParseFromString(rest)) return Malformed("tensor");
  if (has_content) proto.set_tensor_content(content.Flatten());
  if (!strings.empty()) return TakeStrings(std::move(proto), std::move(strings));
  WEIR_TRY(CheckNumValues(proto));
  return FromProto(proto);
}

Status ReadNamed(RopeReader& reader, size_t size, NamedTensor* to) {
  const size_t end = reader.left() - size;
  while (reader.left() > end) {
    Field field;
    if (!ReadField(reader, &field) || reader.left() < end) return Malformed("named tensor");
    const uint64_t bytes = field.type == WireFormatLite::WIRETYPE_VARINT ? 0 : field.value;
    if (reader.left() - end < bytes) return Malformed("named tensor");
    if (field.number == kNameField && field.type == WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      reader.Read(&to->name, field.value);
    } else if (field.number == kNamedTensorField && field.type == WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      Result<Tensor> tensor = ReadTensor(reader, field.value);
      if (!tensor.ok()) return WithContext(tensor.status(), fmt::format("tensor '{}'", to->name));
      to->tensor = *std::move(tensor);
    } else {
      reader.Skip(bytes);
    }
  }
  return OkStatus();
}

// The length of the UTF-8 character at the start of the text; 0 if that is not valid UTF-8.
size_t CharacterSize(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const size_t size = first < 0x80                    ? 1
                      : first >= 0xc2 && first < 0xe0 ? 2
                      : first >= 0xe0 && first < 0xf0 ? 3
                      : first >= 0xf0 && first < 0xf5 ? 4
                                                      : 0;
  if (size > text.size()) return 0;
  for (size_t i = 1; i < size; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 0;
  }
  const unsigned char second = size > 2 ? static_cast<unsigned char>(text[1]) : 0;
  const bool too_long = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool no_character = (first == 0xed && second >= 0xa0) || (first == 0xf4 && second >= 0x90);
  return too_long || no_character ? 0 : size;
}

// Protobuf strings must be UTF-8, but an error may quote arbitrary bytes.
std::string AsUtf8(std::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const size_t size = CharacterSize(text);
    if (size == 0) {
      valid += '?';
    } else {
      valid += text.substr(0, size);
    }
    text.remove_prefix(std::max<size_t>(size, 1));
  }
  return valid;
}

// Copies short strings together into blocks and refers to long ones.
Rope EncodeStrings(const Tensor& tensor, std::string block) {
  constexpr size_t kLong = 4096;
  constexpr size_t kBlock = 1 << 16;
  const auto owner = std::make_shared<BufferPtr>(tensor.buffer());
  Rope rope;
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    const std::string& value = tensor.data<std::string>()[i];
    AddBytesHeader(kStringsField, value.size(), &block);
    if (value.size() < kLong) block += value;
    if (value.size() < kLong && block.size() < kBlock) continue;
    rope.Append(std::exchange(block, {}));
    if (value.size() >= kLong) rope.Append(value.data(), value.size(), owner);
  }
  rope.Append(std::move(block));
  return rope;
}

std::string Describe(const NamedTensor& named) {
  return fmt::format("{}a {} tensor of shape {}", named.name.empty() ? "" : fmt::format("'{}', ", named.name),
                     named.tensor.dtype(), named.tensor.shape());
}

}  // namespace

Status CheckCallSize(size_t bytes, const std::vector<NamedTensor>& tensors, size_t limit) {
  if (bytes <= limit) return OkStatus();
  const NamedTensor* largest = nullptr;
  size_t most = 0;
  for (const NamedTensor& named : tensors) {
    const size_t size = EncodeTensor(named.tensor).size();
    if (size < most || !named.tensor.valid()) continue;
    largest = &named;
    most = size;
  }
  return ResourceExhausted(
      "the message of {} bytes exceeds the limit of {} bytes per call. {}", bytes, limit,
      largest == nullptr ? "" : fmt::format("Its largest part ({} bytes) is {}", most, Describe(*largest)));
}

Rope EncodeTensor(const Tensor& tensor) {
  if (!tensor.valid()) return Rope();
  if (!IsPlain(tensor.dtype()) && tensor.dtype() != kString) {
    tensorflow::TensorProto proto;
    ToProto(tensor, &proto);
    return Rope(proto.SerializeAsString());
  }
  tensorflow::TensorProto header;
  header.set_dtype(static_cast<tensorflow::DataType>(tensor.dtype()));
  ToProto(PartialShape(tensor.shape()), header.mutable_tensor_shape());
  std::string text = header.SerializeAsString();
  if (tensor.dtype() == kString) return EncodeStrings(tensor, std::move(text));
  if (tensor.num_bytes() > 0) AddBytesHeader(kContentField, tensor.num_bytes(), &text);
  Rope rope(std::move(text));
  if (tensor.num_bytes() > 0)
    rope.Append(tensor.raw(), tensor.num_bytes(), std::make_shared<BufferPtr>(tensor.buffer()));
  return rope;
}

Result<Tensor> DecodeTensor(const Rope& bytes) {
  RopeReader reader(bytes);
  return ReadTensor(reader, bytes.size());
}

namespace {

size_t VarintSize(uint64_t value) {
  size_t size = 1;
  for (; value >= 0x80; value >>= 7) ++size;
  return size;
}

// Writes the same bytes as EncodeTensor, with the headers before them. REQUIRES: plain and not empty.
void AddSmallTensor(const NamedTensor& named, TensorField field, std::string* text) {
  const Tensor& tensor = named.tensor;
  const auto type = static_cast<uint64_t>(tensor.dtype());
  size_t shape_size = 0;
  for (int64_t dim : tensor.shape().dims()) shape_size += 3 + VarintSize(static_cast<uint64_t>(dim));
  const size_t content_size = tensor.num_bytes();
  const size_t size =
      1 + VarintSize(type) + 1 + VarintSize(shape_size) + shape_size + 1 + VarintSize(content_size) + content_size;
  if (field.named) {
    const size_t inner = 1 + VarintSize(named.name.size()) + named.name.size() + 1 + VarintSize(size) + size;
    AddBytesHeader(field.number, inner, text);
    AddBytesHeader(kNameField, named.name.size(), text);
    *text += named.name;
    AddBytesHeader(kNamedTensorField, size, text);
  } else {
    AddBytesHeader(field.number, size, text);
  }
  AddTag(kTypeField, WireFormatLite::WIRETYPE_VARINT, text);
  AddVarint(type, text);
  AddBytesHeader(kShapeField, shape_size, text);
  for (int64_t dim : tensor.shape().dims()) {
    AddBytesHeader(kDimField, 1 + VarintSize(static_cast<uint64_t>(dim)), text);
    AddTag(kDimSizeField, WireFormatLite::WIRETYPE_VARINT, text);
    AddVarint(static_cast<uint64_t>(dim), text);
  }
  AddBytesHeader(kContentField, content_size, text);
  text->append(static_cast<const char*>(tensor.raw()), content_size);
}

bool IsSmall(const Tensor& tensor) {
  return tensor.valid() && IsPlain(tensor.dtype()) && tensor.num_bytes() > 0 && tensor.num_bytes() <= kSmallTensor;
}

}  // namespace

Rope EncodeTensors(const google::protobuf::MessageLite& message, TensorField field,
                   const std::vector<NamedTensor>& tensors) {
  std::string text;
  size_t small = message.ByteSizeLong();
  for (const NamedTensor& named : tensors) {
    constexpr size_t kHeaders = 64;
    if (IsSmall(named.tensor)) small += named.name.size() + named.tensor.num_bytes() + kHeaders;
  }
  text.reserve(small);
  message.AppendToString(&text);
  Rope rope;
  for (const NamedTensor& named : tensors) {
    if (!named.tensor.valid() && !field.named) continue;
    if (IsSmall(named.tensor)) {
      AddSmallTensor(named, field, &text);
      continue;
    }
    rope.Append(std::exchange(text, {}));
    Rope tensor = EncodeTensor(named.tensor);
    std::string header;
    if (field.named) {
      std::string inner;
      AddBytesHeader(kNameField, named.name.size(), &inner);
      inner += named.name;
      if (named.tensor.valid()) AddBytesHeader(kNamedTensorField, tensor.size(), &inner);
      AddBytesHeader(field.number, inner.size() + tensor.size(), &header);
      header += inner;
    } else {
      AddBytesHeader(field.number, tensor.size(), &header);
    }
    rope.Append(std::move(header));
    rope.Append(std::move(tensor));
  }
  rope.Append(std::move(text));
  return rope;
}

Rope Encode(const RecvTensorReply& m) {
  Rope rope = EncodeTensors(m.message, TensorFieldOf(m.message), m.tensors);
  if (m.chunk.size() == 0) return rope;
  std::string header;
  AddBytesHeader(kChunkField, m.chunk.size(), &header);
  rope.Append(std::move(header));
  for (const Rope::Slice& bytes : m.chunk.slices()) rope.Append(bytes.data, bytes.size, bytes.owner);
  return rope;
}

Status DecodeTensors(const Rope& bytes, TensorField tensor_field, google::protobuf::MessageLite* message,
                     std::vector<NamedTensor>* tensors, Rope* chunk) {
  RopeReader reader(bytes);
  std::string rest;
  while (reader.left() > 0) {
    Field field;
    if (!ReadField(reader, &field)) return Malformed(message->GetTypeName());
    if (chunk != nullptr && field.number == kChunkField && field.type == WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      if (!reader.Take(field.value, chunk)) return Malformed(message->GetTypeName());
      continue;
    }
    if (field.number != tensor_field.number || field.type != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      if (!CopyField(reader, field, &rest)) return Malformed(message->GetTypeName());
      continue;
    }
    NamedTensor& named = tensors->emplace_back();
    if (tensor_field.named) {
      WEIR_TRY(ReadNamed(reader, field.value, &named));
    } else {
      WEIR_ASSIGN(named.tensor, ReadTensor(reader, field.value));
    }
  }
  if (!message->ParseFromString(rest)) return Malformed(message->GetTypeName());
  return OkStatus();
}

Status Decode(const Rope& bytes, google::protobuf::MessageLite* m) {
  RopeStream stream(bytes);
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max()) || !m->ParseFromZeroCopyStream(&stream))
    return Malformed(m->GetTypeName());
  return OkStatus();
}

std::string ErrorText(const Status& status) {
  std::string text = AsUtf8({status.message().data(), status.message().size()});
  const std::optional<std::string> node = NodeOf(status);
  if (!node.has_value()) return text;
  const std::string mark = fmt::format("[[{{{{node {}}}}}]]", *node);
  if (text.find(mark) != std::string::npos) return text;
  // TensorFlow's clients read the first double brackets: the mark replaces the executor's own note about the node.
  const size_t begin = text.find(NodeTextStart(*node));
  const size_t end = begin == std::string::npos ? begin : text.find("]]", begin);
  if (end != std::string::npos) return text.replace(begin, end + 2 - begin, mark);
  return text + "\n\t " + mark;
}

Status ErrorFromText(int code, std::string_view text) {
  if (code == 0) return OkStatus();
  const bool known = code >= 1 && code <= static_cast<int>(StatusCode::kUnauthenticated);
  Status status = MakeStatus(known ? static_cast<StatusCode>(code) : StatusCode::kUnknown, text);
  constexpr std::string_view kOpen = "{{node ";
  if (const size_t at = text.find(kOpen); at != std::string_view::npos) {
    const size_t begin = at + kOpen.size();
    if (const size_t end = text.find("}}", begin); end != std::string_view::npos)
      status = MarkNode(status, text.substr(begin, end - begin));
  }
  return status;
}

}  // namespace weir
