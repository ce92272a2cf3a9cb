// Tensors as text, and how two tensors are compared. A value language of its own:
//   float[2,3]{1 2 3 4 5 6}   int32{7}   string[2]{"a" 'b'}   bool[0]{}   complex64[2]{1+2i -i}   double[3]{nan inf
//   -inf} int32[6]{1 to 6}   float[4,4]{0 ...} (repeats what stands before)   double[3]{random}   double[3]{random 0.5
//   2}
#ifndef WEIR_TESTS_OPS_LITERAL_H_
#define WEIR_TESTS_OPS_LITERAL_H_

#include <optional>
#include <string>

#include "op/cursor.h"
#include "tensor/tensor.h"

namespace weir::optest {

enum class Role { kFed, kConst, kVariable, kResource };

struct Literal {
  Role role = Role::kFed;
  DType dtype = kInvalidType;
  PartialShape shape;
  Tensor value;  // invalid: only type and shape were given
};

// A literal whose type word has been read. `seed` is for random values.
Result<Literal> ParseLiteral(Cursor& in, DType dtype, uint64_t seed);
// "[2,?]" or "?".
Result<PartialShape> ParseShape(Cursor& in);
// Quoted text with \n \t \0 \xHH and the like.
Result<std::string> ParseQuoted(Cursor& in);
// Values in [low, high) (integers: including high), the same for the same seed.
Result<Tensor> RandomTensor(DType dtype, const Shape& shape, double low, double high, uint64_t seed);

// Empty when equal: type and shape exactly, floats within the tolerance (absolute and relative; by default one that
// suits the type), NaN equal to NaN. Else what differs.
std::string Difference(const Tensor& actual, const Tensor& expected, std::optional<double> tolerance);
// Empty when all elements are in [low, high].
std::string OutOfRange(const Tensor& actual, double low, double high);
// Element i of a numeric or bool tensor.
std::complex<double> Element(const Tensor& t, int64_t i);

}  // namespace weir::optest

#endif  // WEIR_TESTS_OPS_LITERAL_H_
