#include "tests/hostile/values.h"

#include <cmath>
#include <limits>

#include "proto/example.pb.h"

namespace weir::hostile {
namespace {

constexpr int64_t kMaxInt64 = std::numeric_limits<int64_t>::max();
constexpr int64_t kMinInt64 = std::numeric_limits<int64_t>::min();

// A serialized Example, or a part of one.
std::string RandomExample(Dice& dice) {
  tensorflow::Example example;
  auto& features = *example.mutable_features()->mutable_feature();
  for (int64_t i = dice.Below(3); i >= 0; --i) {
    tensorflow::Feature& feature = features[dice.Pick({"", "a", "b", "x"})];
    const int64_t count = dice.Below(4);
    switch (dice.Below(3)) {
      case 0:
        for (int64_t k = 0; k < count; ++k) feature.mutable_float_list()->add_value(1.0f);
        break;
      case 1:
        for (int64_t k = 0; k < count; ++k) feature.mutable_int64_list()->add_value(RandomInt(dice));
        break;
      default:
        for (int64_t k = 0; k < count; ++k) feature.mutable_bytes_list()->add_value("v");
    }
  }
  std::string bytes = example.SerializeAsString();
  if (dice.Percent(30) && !bytes.empty())
    bytes.resize(static_cast<size_t>(dice.Below(static_cast<int64_t>(bytes.size()))));
  if (dice.Percent(30) && !bytes.empty())
    bytes[static_cast<size_t>(dice.Below(static_cast<int64_t>(bytes.size())))] ^= 1;
  return bytes;
}

std::string RandomBytes(Dice& dice) {
  std::string bytes(static_cast<size_t>(dice.Below(40)), ' ');
  for (char& c : bytes) {
    c = static_cast<char>(dice.Below(256));
    if (c == '/') c = '_';
  }
  return bytes;
}

template <class T>
void FillNumbers(Dice& dice, const Tensor& tensor) {
  const bool ordinary = dice.Percent(50);
  for (T& value : tensor.flat<T>()) {
    if constexpr (std::is_same_v<T, bool>) {
      value = dice.Percent(50);
    } else if constexpr (std::is_integral_v<T>) {
      const int64_t number = ordinary ? dice.Below(4) : RandomInt(dice);
      value = static_cast<T>(number);
    } else {
      const double number = ordinary ? static_cast<double>(dice.Below(9)) / 4 - 1 : RandomFloat(dice);
      if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
        using Part = typename T::value_type;
        value = T(static_cast<Part>(number), static_cast<Part>(RandomFloat(dice)));
      } else if constexpr (std::is_same_v<T, double>) {
        value = number;
      } else {
        value = static_cast<T>(static_cast<float>(number));
      }
    }
  }
}

void FillHandles(Dice& dice, const Tensor& tensor) {
  for (ResourceHandle& handle : tensor.flat<ResourceHandle>()) {
    handle = {RandomString(dice), RandomString(dice), RandomString(dice), dice.Next(), RandomString(dice)};
  }
}

}  // namespace

int64_t RandomInt(Dice& dice) {
  if (dice.Percent(70)) return dice.Below(8) - 2;
  return dice.Pick<int64_t>({kMaxInt64,
                             kMinInt64,
                             kMaxInt64 - 1,
                             kMaxInt64 / 2 + 1,
                             INT32_MAX,
                             INT32_MIN,
                             int64_t{INT32_MAX} + 1,
                             int64_t{INT32_MIN} - 1,
                             int64_t{1} << 32,
                             int64_t{1} << 40,
                             int64_t{1} << 62,
                             -1,
                             0,
                             16,
                             100,
                             255,
                             256,
                             1000,
                             65536,
                             1 << 20,
                             1 << 24});
}

double RandomFloat(Dice& dice) {
  if (dice.Percent(40)) return static_cast<double>(dice.Below(17)) / 4 - 2;
  constexpr double kInf = std::numeric_limits<double>::infinity();
  return dice.Pick<double>({0.0,    -0.0,         1.0,          -1.0,          1e-40,     -1e-40, 1e-45,  1e-310,
                            5e-324, 1e-30,        1e-8,         0.5,           255.0,     1e4,    1e10,   1e18,
                            9.3e18, 1e20,         1e30,         3.4e38,        -3.4e38,   1e300,  -1e300, kInf,
                            -kInf,  std::nan(""), 2147483648.0, -2147483649.0, 16777217.0});
}

std::string RandomString(Dice& dice) {
  switch (dice.Below(10)) {
    case 0:
      return RandomExample(dice);
    case 1:
      return RandomBytes(dice);
    case 2:
      return std::string(static_cast<size_t>(dice.Below(300)), static_cast<char>('a' + dice.Below(3)));
    default:
      return dice.Pick<std::string>({"",
                                     "a",
                                     "b",
                                     "x",
                                     "1",
                                     "-1",
                                     "1e39",
                                     "nan",
                                     "0x",
                                     "a,b",
                                     ",,,",
                                     "\"",
                                     "'",
                                     "%s",
                                     "%d%d",
                                     "\\",
                                     "(",
                                     "[a-",
                                     "(a+)+$",
                                     "ij,jk->ik",
                                     "ii->i",
                                     "...ij->...",
                                     "->",
                                     ",->",
                                     "\xff\xfe",
                                     "\xe2\x82",
                                     "\xf0\x9f\x98\x80",
                                     std::string("\0", 1),
                                     "GIF89a",
                                     "\x89PNG\r\n\x1a\n",
                                     "\xff\xd8\xff\xe0",
                                     "BM",
                                     "RIFF",
                                     "{}",
                                     "{\"a\":[1]}",
                                     "SAME",
                                     "VALID",
                                     "NHWC",
                                     "NCHW",
                                     "UTF-8",
                                     "UTF-16-BE",
                                     "localhost",
                                     "sum",
                                     "mean",
                                     "x y  z",
                                     "Hello World"});
  }
}

DType RandomType(Dice& dice) {
  if (dice.Percent(60)) return dice.Pick({kFloat, kInt32, kInt64, kString, kBool, kDouble});
  return dice.Pick({kUint8, kInt16, kInt8, kComplex64, kQint8, kQuint8, kQint32, kBFloat16, kQint16, kQuint16, kUint16,
                    kComplex128, kHalf, kResource, kVariant, kUint32, kUint64});
}

ShapeDice::ShapeDice(Dice& dice, int64_t rank) : dice_(dice) {
  if (rank < 0) rank = dice.Percent(50) ? dice.Below(3) : dice.Below(6);
  for (int64_t i = 0; i < rank; ++i) base_.push_back(dice.Percent(8) ? 0 : 1 + dice.Below(4));
}

Shape ShapeDice::Known() {
  std::vector<int64_t> dims = base_;
  switch (dice_.Below(10)) {
    case 0:
      dims.clear();
      break;
    case 1:
      dims = {dice_.Below(6)};
      break;
    case 2:
      if (!dims.empty()) dims.erase(dims.begin());
      break;
    case 3:
      if (!dims.empty()) dims.pop_back();
      break;
    case 4:
      if (!dims.empty()) dims[static_cast<size_t>(dice_.Below(static_cast<int64_t>(dims.size())))] = dice_.Below(5);
      break;
    case 5:
      if (dims.size() < 7) dims.push_back(1 + dice_.Below(3));
      break;
    case 6:
      dims.assign(static_cast<size_t>(dice_.Below(6)), 1 + dice_.Below(3));
      break;
    default:
      break;
  }
  if (dice_.Percent(1)) dims.assign(static_cast<size_t>(8 + dice_.Below(12)), 1);
  if (dice_.Percent(1)) dims = {0, int64_t{1} << 40};
  Result<Shape> shape = Shape::Make(dims);
  return shape.ok() ? *shape : Shape();
}

PartialShape ShapeDice::Partial() {
  if (dice_.Percent(15)) return PartialShape();
  DimVector dims = Known().dims();
  for (int64_t& dim : dims) {
    if (dice_.Percent(20)) dim = kUnknownDim;
    if (dice_.Percent(3)) dim = dice_.Pick<int64_t>({kMaxInt64, int64_t{1} << 31, int64_t{1} << 40});
  }
  Result<PartialShape> shape = PartialShape::Make(dims);
  return shape.ok() ? *shape : PartialShape();
}

Tensor RandomTensor(Dice& dice, DType dtype, const Shape& shape) {
  dtype = BaseType(dtype);
  if (dtype == kVariant || dtype == kInvalidType) return Tensor();
  Result<Tensor> made = Tensor::Zeros(dtype, shape);
  if (!made.ok()) return Tensor();
  const Tensor& tensor = *made;
  switch (dtype) {
    case kFloat:
      FillNumbers<float>(dice, tensor);
      break;
    case kDouble:
      FillNumbers<double>(dice, tensor);
      break;
    case kHalf:
      FillNumbers<half>(dice, tensor);
      break;
    case kBFloat16:
      FillNumbers<bfloat16>(dice, tensor);
      break;
    case kComplex64:
      FillNumbers<std::complex<float>>(dice, tensor);
      break;
    case kComplex128:
      FillNumbers<std::complex<double>>(dice, tensor);
      break;
    case kBool:
      FillNumbers<bool>(dice, tensor);
      break;
    case kInt32:
    case kQint32:
      FillNumbers<int32_t>(dice, tensor);
      break;
    case kInt64:
      FillNumbers<int64_t>(dice, tensor);
      break;
    case kInt16:
    case kQint16:
      FillNumbers<int16_t>(dice, tensor);
      break;
    case kInt8:
    case kQint8:
      FillNumbers<int8_t>(dice, tensor);
      break;
    case kUint8:
    case kQuint8:
      FillNumbers<uint8_t>(dice, tensor);
      break;
    case kUint16:
    case kQuint16:
      FillNumbers<uint16_t>(dice, tensor);
      break;
    case kUint32:
      FillNumbers<uint32_t>(dice, tensor);
      break;
    case kUint64:
      FillNumbers<uint64_t>(dice, tensor);
      break;
    case kString:
      for (std::string& text : tensor.flat<std::string>()) text = RandomString(dice);
      break;
    case kResource:
      FillHandles(dice, tensor);
      break;
    default:
      break;
  }
  return tensor;
}

}  // namespace weir::hostile
