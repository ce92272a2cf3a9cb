// Tensors as text, and comparison of tensors. The language of literals:
//   float[2,3]{1 2 3 4 5 6}   int32{7}   string[2]{"a" 'b'}   bool[0]{}   complex64[2]{1+2i -i}
//   double[3]{nan inf -inf}   int32[6]{1 to 6}   float[4,4]{0 ...} (repeats the values before it)
//   double[3]{random}   double[3]{random 0.5 2}
#ifndef WEIR_TESTS_OPS_LITERAL_H_
#define WEIR_TESTS_OPS_LITERAL_H_

#include <optional>
#include <string>

#include "op/cursor.h"
#include "op/shape_text.h"
#include "tensor/tensor.h"

namespace weir::optest {

enum class Role { kFed, kConst, kVariable, kResource };

struct Literal {
  Role role = Role::kFed;
  DType dtype = kInvalidType;
  PartialShape shape;
  Tensor value;  // invalid: only type and shape were given
};

// Parses a literal whose type has been read already. `seed` is for random values.
Result<Literal> ParseLiteral(Cursor& in, DType dtype, uint64_t seed);
// Parses quoted text with escapes such as \n \t \0 \xHH.
Result<std::string> ParseQuoted(Cursor& in);
// Random values in [low, high) (integers: [low, high]). The same seed gives the same values.
Result<Tensor> RandomTensor(DType dtype, const Shape& shape, double low, double high, uint64_t seed);

// Returns "" if the tensors are equal, else a description of the difference. Types and shapes must match exactly,
// floats within the tolerance (absolute and relative; the default depends on the type). NaN equals NaN.
std::string Difference(const Tensor& actual, const Tensor& expected, std::optional<double> tolerance);
// Returns "" if all elements are in [low, high], else a description.
std::string OutOfRange(const Tensor& actual, double low, double high);
// Element i of a numeric or bool tensor.
std::complex<double> Element(const Tensor& t, int64_t i);

}  // namespace weir::optest

#endif  // WEIR_TESTS_OPS_LITERAL_H_
