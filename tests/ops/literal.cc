#include "tests/ops/literal.h"

#include <cmath>

#include "base/rng.h"

namespace weir::optest {
namespace {

constexpr int64_t kMaxElements = 1 << 20;

// Calls f with a null pointer to the element type. Returns false for non-numeric types.
template <class F>
bool WithNumericType(DType dtype, F&& f) {
  switch (dtype) {
    case kFloat:
      f(static_cast<float*>(nullptr));
      return true;
    case kDouble:
      f(static_cast<double*>(nullptr));
      return true;
    case kHalf:
      f(static_cast<half*>(nullptr));
      return true;
    case kBFloat16:
      f(static_cast<bfloat16*>(nullptr));
      return true;
    case kInt8:
    case kQint8:
      f(static_cast<int8_t*>(nullptr));
      return true;
    case kInt16:
    case kQint16:
      f(static_cast<int16_t*>(nullptr));
      return true;
    case kInt32:
    case kQint32:
      f(static_cast<int32_t*>(nullptr));
      return true;
    case kInt64:
      f(static_cast<int64_t*>(nullptr));
      return true;
    case kUint8:
    case kQuint8:
      f(static_cast<uint8_t*>(nullptr));
      return true;
    case kUint16:
    case kQuint16:
      f(static_cast<uint16_t*>(nullptr));
      return true;
    case kUint32:
      f(static_cast<uint32_t*>(nullptr));
      return true;
    case kUint64:
      f(static_cast<uint64_t*>(nullptr));
      return true;
    case kBool:
      f(static_cast<bool*>(nullptr));
      return true;
    case kComplex64:
      f(static_cast<std::complex<float>*>(nullptr));
      return true;
    case kComplex128:
      f(static_cast<std::complex<double>*>(nullptr));
      return true;
    default:
      return false;
  }
}

template <class T>
constexpr bool kIsComplex = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;
template <class T>
constexpr bool kIsFloat =
    std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;

// Parses "1", "1+2i", "2i" or "-i".
Result<std::complex<double>> ParseComplex(Cursor& in) {
  std::complex<double> value;
  do {
    double sign = 1;
    Cursor ahead = in;
    if (ahead.Take("-")) {
      sign = -1;
    } else {
      ahead.Take("+");
    }
    if (ahead.Take("i") && ahead.Peek() != 'n') {
      in = ahead;
      value += std::complex<double>(0, sign);
      return value;
    }
    WEIR_ASSIGN(const double part, in.Number<double>());
    if (in.PeekRaw() == 'i') {
      in.TakeRaw();
      value.imag(part);
      return value;
    }
    value.real(part);
  } while (in.PeekRaw() == '+' || in.PeekRaw() == '-');
  return value;
}

template <class T>
Result<T> ParseElement(Cursor& in) {
  if constexpr (std::is_same_v<T, std::string>) {
    return ParseQuoted(in);
  } else if constexpr (std::is_same_v<T, bool>) {
    if (in.TakeWord("true") || in.TakeWord("1")) return true;
    if (in.TakeWord("false") || in.TakeWord("0")) return false;
    return in.Error("true or false expected");
  } else if constexpr (kIsComplex<T>) {
    WEIR_ASSIGN(const std::complex<double> value, ParseComplex(in));
    return T(value);
  } else if constexpr (kIsFloat<T>) {
    WEIR_ASSIGN(const double value, in.Number<double>());
    return static_cast<T>(value);
  } else {
    return in.Number<T>();
  }
}

template <class T>
Result<Tensor> ParseElements(Cursor& in, DType dtype, const PartialShape& shape) {
  std::vector<T> values;
  bool repeat = false;
  while (!in.Take("}")) {
    if (in.Take("...")) {
      repeat = true;
      WEIR_TRY(in.Expect("}"));
      break;
    }
    WEIR_ASSIGN(T value, ParseElement<T>(in));
    if constexpr (!std::is_same_v<T, std::string> && !std::is_same_v<T, bool> && !kIsComplex<T>) {
      if (in.TakeWord("to")) {
        WEIR_ASSIGN(const T last, ParseElement<T>(in));
        if (last - value > kMaxElements) return in.Error("too many values");
        for (; value < last; value = static_cast<T>(value + 1)) values.push_back(value);
      }
    }
    values.push_back(std::move(value));
    in.Take(",");
  }
  const int64_t count = shape.num_elements();
  if (count < 0 || count > kMaxElements) return in.Error("a literal's shape is known and small");
  const int64_t given = static_cast<int64_t>(values.size());
  if (repeat ? given == 0 : given != count) {
    return in.Error(fmt::format("{} values for the shape {}", given, shape));
  }
  WEIR_ASSIGN(Tensor t, Tensor::Allocate(dtype, shape.ToShape()));
  for (int64_t i = 0; i < count; ++i) t.data<T>()[i] = values[i % given];
  return t;
}

double DefaultTolerance(DType dtype) {
  switch (dtype) {
    case kHalf:
      return 2e-3;
    case kBFloat16:
      return 1e-2;
    case kFloat:
    case kComplex64:
      return 3e-6;
    case kDouble:
    case kComplex128:
      return 1e-9;
    default:
      return 0;
  }
}

// With `relative`, the tolerance grows with b.
bool Near(double a, double b, double tolerance, bool relative) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::abs(a - b) <= tolerance * (1 + (relative ? std::abs(b) : 0));
}

bool SameElement(const Tensor& a, const Tensor& b, int64_t i, double tolerance) {
  if (a.dtype() == kString) return a.data<std::string>()[i] == b.data<std::string>()[i];
  if (a.dtype() == kInt64) return a.data<int64_t>()[i] == b.data<int64_t>()[i];
  if (a.dtype() == kUint64) return a.data<uint64_t>()[i] == b.data<uint64_t>()[i];
  const std::complex<double> x = Element(a, i);
  const std::complex<double> y = Element(b, i);
  const bool relative = !IsInteger(a.dtype());
  return Near(x.real(), y.real(), tolerance, relative) && Near(x.imag(), y.imag(), tolerance, relative);
}

}  // namespace

std::complex<double> Element(const Tensor& t, int64_t i) {
  std::complex<double> value;
  WithNumericType(t.dtype(), [&]<class T>(T*) {
    if constexpr (kIsComplex<T>) {
      value = std::complex<double>(t.data<T>()[i]);
    } else {
      value = static_cast<double>(t.data<T>()[i]);
    }
  });
  return value;
}

Result<std::string> ParseQuoted(Cursor& in) {
  const char quote = in.Peek();
  if (quote != '\'' && quote != '"') return in.Error("a quoted string expected");
  in.TakeRaw();
  std::string out;
  while (true) {
    char c = in.TakeRaw();
    if (c == quote) return out;
    if (c == '\0') return in.Error("a string without an end");
    if (c == '\\') {
      c = in.TakeRaw();
      if (c == 'x') {
        const char hex[] = {in.TakeRaw(), in.TakeRaw(), '\0'};
        c = static_cast<char>(std::strtol(hex, nullptr, 16));
      } else {
        c = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c == '0' ? '\0' : c;
      }
    }
    out += c;
  }
}

Result<Tensor> RandomTensor(DType dtype, const Shape& shape, double low, double high, uint64_t seed) {
  SeededRng rng(seed * 0x9E3779B97F4A7C15u + 1);
  WEIR_ASSIGN(Tensor t, Tensor::Allocate(dtype, shape));
  if (dtype == kString) {
    for (std::string& s : t.flat<std::string>()) {
      s = std::string(rng.Below(6), ' ');
      for (char& c : s) c = static_cast<char>('a' + rng.Below(26));
    }
    return t;
  }
  const bool known = WithNumericType(dtype, [&]<class T>(T*) {
    for (int64_t i = 0; i < t.num_elements(); ++i) {
      const double real = low + (high - low) * rng.NextUnit();
      if constexpr (std::is_same_v<T, bool>) {
        t.data<T>()[i] = rng.Below(2) == 1;
      } else if constexpr (kIsComplex<T>) {
        t.data<T>()[i] = T(std::complex<double>(real, low + (high - low) * rng.NextUnit()));
      } else if constexpr (kIsFloat<T>) {
        t.data<T>()[i] = static_cast<T>(real);
      } else {
        t.data<T>()[i] = static_cast<T>(std::floor(low + (high - low + 1) * rng.NextUnit()));
      }
    }
  });
  if (!known) return InvalidArgument("there are no random values of type {}", dtype);
  return t;
}

Result<Literal> ParseLiteral(Cursor& in, DType dtype, uint64_t seed) {
  Literal literal{.dtype = dtype, .shape = PartialShape::Scalar()};
  if (in.Peek() == '[' || in.Peek() == '?') {
    WEIR_ASSIGN(literal.shape, ParseShape(in));
  }
  if (!in.Take("{")) return literal;
  if (in.TakeWord("random")) {
    if (!literal.shape.fully_defined()) return in.Error("random values need a known shape");
    double low = IsInteger(dtype) ? 0 : -2;
    double high = IsInteger(dtype) ? 9 : 2;
    if (in.Peek() != '}') {
      WEIR_ASSIGN(low, in.Number<double>());
      WEIR_ASSIGN(high, in.Number<double>());
    }
    WEIR_ASSIGN(literal.value, RandomTensor(dtype, literal.shape.ToShape(), low, high, seed));
    WEIR_TRY(in.Expect("}"));
    return literal;
  }
  Result<Tensor> value = in.Error(fmt::format("there are no literals of type {}", DTypeName(dtype)));
  if (dtype == kString) {
    value = ParseElements<std::string>(in, dtype, literal.shape);
  } else {
    WithNumericType(dtype, [&]<class T>(T*) { value = ParseElements<T>(in, dtype, literal.shape); });
  }
  WEIR_ASSIGN(literal.value, std::move(value));
  return literal;
}

std::string Difference(const Tensor& actual, const Tensor& expected, std::optional<double> tolerance) {
  if (actual.dtype() != expected.dtype() || !(actual.shape() == expected.shape())) {
    return fmt::format("is {}, not {}", actual.ToString(40), expected.ToString(40));
  }
  const double allowed = tolerance.value_or(DefaultTolerance(actual.dtype()));
  for (int64_t i = 0; i < actual.num_elements(); ++i) {
    if (SameElement(actual, expected, i, allowed)) continue;
    const std::complex<double> a = Element(actual, i);
    const std::complex<double> b = Element(expected, i);
    return fmt::format("is {}, not {}: element {} is off by {:g}", actual.ToString(40), expected.ToString(40), i,
                       std::abs(a - b));
  }
  return "";
}

std::string OutOfRange(const Tensor& actual, double low, double high) {
  for (int64_t i = 0; i < actual.num_elements(); ++i) {
    const double value = Element(actual, i).real();
    if (!(value >= low && value <= high)) return fmt::format("element {} is {}, not in [{}, {}]", i, value, low, high);
  }
  return "";
}

}  // namespace weir::optest
