// The table of elementwise ops: what src/ops/math and src/ops/nn compute on the CPU, as source expressions.
#include <algorithm>

#include "device/gpu/elementwise.h"

namespace weir::gpu {
namespace {

// f: floats, s: signed, u: unsigned integers, c: complex, b: bool.
constexpr ElementOp kOps[] = {
    // ---- one input ----
    {"Identity", 1, "fsucb", "x"},
    {"Abs", 1, "f", "fabs(x)"},
    {"Abs", 1, "s", "x < 0 ? -x : x"},
    {"Neg", 1, "fsuc", "-x"},
    {"Inv", 1, "fc", "To<C>(1) / x"},
    {"Reciprocal", 1, "fc", "To<C>(1) / x"},
    {"Square", 1, "fsuc", "x * x"},
    {"Sign", 1, "f", "x != x ? x : (C)((x > 0) - (x < 0))"},
    {"Sign", 1, "s", "(x > 0) - (x < 0)"},
    {"Floor", 1, "f", "floor(x)"},
    {"Ceil", 1, "f", "ceil(x)"},
    {"Rint", 1, "f", "rint(x)"},
    {"Round", 1, "f", "rint(x)"},
    {"Round", 1, "su", "x"},
    {"IsNan", 1, "f", "x != x", true},
    {"IsInf", 1, "f", "fabs(x) == Limits<C>::Highest()", true},
    {"IsFinite", 1, "f", "fabs(x) < Limits<C>::Highest()", true},
    {"Sqrt", 1, "f", "sqrt(x)"},
    {"Rsqrt", 1, "f", "(C)1 / sqrt(x)"},
    {"Exp", 1, "f", "exp(x)"},
    {"Expm1", 1, "f", "expm1(x)"},
    {"Log", 1, "f", "log(x)"},
    {"Log1p", 1, "f", "log1p(x)"},
    {"Sin", 1, "f", "sin(x)"},
    {"Cos", 1, "f", "cos(x)"},
    {"Tan", 1, "f", "tan(x)"},
    {"Sinh", 1, "f", "sinh(x)"},
    {"Cosh", 1, "f", "cosh(x)"},
    {"Tanh", 1, "f", "tanh(x)"},
    {"Asin", 1, "f", "asin(x)"},
    {"Acos", 1, "f", "acos(x)"},
    {"Atan", 1, "f", "atan(x)"},
    {"Asinh", 1, "f", "asinh(x)"},
    {"Acosh", 1, "f", "acosh(x)"},
    {"Atanh", 1, "f", "atanh(x)"},
    {"Sigmoid", 1, "f", "(C)1 / ((C)1 + exp(-x))"},
    {"Erf", 1, "f", "erf(x)"},
    {"Erfc", 1, "f", "erfc(x)"},
    {"Erfinv", 1, "f", "erfinv(x)"},
    {"Ndtri", 1, "f", "normcdfinv(x)"},
    {"Lgamma", 1, "f", "lgamma(x)"},
    {"Relu", 1, "fsu", "x < (C)0 ? (C)0 : x"},
    {"Relu6", 1, "fsu", "x < (C)0 ? (C)0 : x > (C)6 ? (C)6 : x"},
    {"Elu", 1, "f", "x < 0 ? expm1(x) : x"},
    {"Selu", 1, "f",
     "x < 0 ? (C)(1.0507009873554804934193349852946 * 1.6732632423543772848170429916717) * expm1(x)"
     " : (C)1.0507009873554804934193349852946 * x"},
    {"Softplus", 1, "f", "(x > 0 ? x : (C)0) + log1p(exp(-fabs(x)))"},
    {"Softsign", 1, "f", "x / ((C)1 + fabs(x))"},
    {"LeakyRelu", 1, "f", "x > 0 ? x : x * alpha"},
    {"LogicalNot", 1, "b", "!x"},
    {"Invert", 1, "su", "~x"},
    {"Conj", 1, "fc", "Conjugate(x)"},
    {"ZerosLike", 1, "fsucb", "0"},
    {"OnesLike", 1, "fsucb", "1"},
    // ---- two inputs ----
    {"Add", 2, "fsuc", "x + y"},
    {"AddV2", 2, "fsuc", "x + y"},
    {"Sub", 2, "fsuc", "x - y"},
    {"Mul", 2, "fsuc", "x * y"},
    {"MulNoNan", 2, "fc", "y == To<C>(0) ? To<C>(0) : x * y"},
    {"DivNoNan", 2, "fc", "y == To<C>(0) ? To<C>(0) : x / y"},
    {"RealDiv", 2, "fc", "x / y"},
    {"Div", 2, "fc", "x / y"},
    {"Div", 2, "su", "TruncateQuotient(x, y, fault)"},
    {"TruncateDiv", 2, "f", "trunc(x / y)"},
    {"TruncateDiv", 2, "su", "TruncateQuotient(x, y, fault)"},
    {"FloorDiv", 2, "f", "floor(x / y)"},
    {"FloorDiv", 2, "su", "FloorQuotient(x, y, fault)"},
    {"Mod", 2, "f", "fmod(x, y)"},
    {"Mod", 2, "s", "TruncateRemainder(x, y, fault)"},
    {"TruncateMod", 2, "f", "fmod(x, y)"},
    {"TruncateMod", 2, "s", "TruncateRemainder(x, y, fault)"},
    {"FloorMod", 2, "f", "FloorRemainderOfFloats(x, y)"},
    {"FloorMod", 2, "su", "FloorRemainder(x, y, fault)"},
    {"SquaredDifference", 2, "fs", "(x - y) * (x - y)"},
    {"SquaredDifference", 2, "c", "(x - y) * Conjugate(x - y)"},
    {"Maximum", 2, "fsu", "x < y ? y : x"},
    {"Minimum", 2, "fsu", "y < x ? y : x"},
    {"Pow", 2, "f", "y == (C)2 ? x * x : pow(x, y)"},
    {"Pow", 2, "s", "IntegerPower(x, y, fault)"},
    {"Xlogy", 2, "f", "x == 0 ? x : x * log(y)"},
    {"Xlog1py", 2, "f", "x == 0 ? x : x * log1p(y)"},
    {"Xdivy", 2, "f", "x == 0 ? x : x / y"},
    {"Atan2", 2, "f", "atan2(x, y)"},
    {"NextAfter", 2, "f", "nextafter(x, y)"},
    {"Less", 2, "fsu", "x < y", true},
    {"LessEqual", 2, "fsu", "x <= y", true},
    {"Greater", 2, "fsu", "x > y", true},
    {"GreaterEqual", 2, "fsu", "x >= y", true},
    {"Equal", 2, "fsucb", "x == y", true},
    {"NotEqual", 2, "fsucb", "x != y", true},
    {"LogicalAnd", 2, "b", "x && y"},
    {"LogicalOr", 2, "b", "x || y"},
    {"BitwiseAnd", 2, "su", "x & y"},
    {"BitwiseOr", 2, "su", "x | y"},
    {"BitwiseXor", 2, "su", "x ^ y"},
    {"LeftShift", 2, "su", "(uint64)x << ShiftAmount(y)"},
    {"RightShift", 2, "su", "x >> ShiftAmount(y)"},
    {"SqrtGrad", 2, "f", "y * (C)0.5 / x"},
    {"RsqrtGrad", 2, "f", "y * (C)-0.5 * x * x * x"},
    {"TanhGrad", 2, "f", "y * ((C)1 - x * x)"},
    {"SigmoidGrad", 2, "f", "y * x * ((C)1 - x)"},
    {"InvGrad", 2, "f", "-y * x * x"},
    {"ReciprocalGrad", 2, "f", "-y * x * x"},
    {"ReluGrad", 2, "fsu", "y > (C)0 ? x : (C)0"},
    {"Relu6Grad", 2, "fsu", "y > (C)0 && y < (C)6 ? x : (C)0"},
    {"EluGrad", 2, "f", "y < 0 ? (y + (C)1) * x : x"},
    {"SeluGrad", 2, "f",
     "y < 0 ? x * (y + (C)(1.0507009873554804934193349852946 * 1.6732632423543772848170429916717))"
     " : x * (C)1.0507009873554804934193349852946"},
    {"SoftplusGrad", 2, "f", "x / (exp(-y) + (C)1)"},
    {"SoftsignGrad", 2, "f", "x / (((C)1 + fabs(y)) * ((C)1 + fabs(y)))"},
    {"LeakyReluGrad", 2, "f", "y > 0 ? x : x * alpha"},
    // ---- three inputs ----
    {"Select", 3, "fsucb", "x ? y : z"},
    {"SelectV2", 3, "fsucb", "x ? y : z"},
    {"ClipByValue", 3, "fsu", "x < y ? y : z < x ? z : x"},
};

constexpr std::pair<char, DType> kTypes[] = {
    {'f', kHalf},   {'f', kBFloat16}, {'f', kFloat},     {'f', kDouble},     {'s', kInt8},
    {'s', kInt16},  {'s', kInt32},    {'s', kInt64},     {'u', kUint8},      {'u', kUint16},
    {'u', kUint32}, {'u', kUint64},   {'c', kComplex64}, {'c', kComplex128}, {'b', kBool},
};

}  // namespace

absl::Span<const ElementOp> ElementOps() { return kOps; }

const ElementOp* FindElementOp(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(kOps), std::end(kOps), [&](const ElementOp& op) { return op.name == name; });
  return found == std::end(kOps) ? nullptr : found;
}

std::vector<DType> ElementTypes(std::string_view name) {
  std::vector<DType> types;
  for (const ElementOp& op : kOps) {
    if (op.name != name) continue;
    for (const auto& [letter, type] : kTypes) {
      if (op.kinds.find(letter) != std::string_view::npos) types.push_back(type);
    }
  }
  return types;
}

DType ElementResult(const ElementOp& op, DType input) { return op.is_test ? kBool : input; }

}  // namespace weir::gpu
