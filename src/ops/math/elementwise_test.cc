// Values, types, errors and shapes of the elementwise ops. A row is an op, its inputs and the expected outputs.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "op/testing.h"
#include "ops/register.h"

namespace weir::ops::elementwise_test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

class MathOps : public ::testing::Test {
 protected:
  MathOps() { RegisterMathOps(registry_); }

  Tensor Run(std::string_view op, std::vector<Tensor> inputs, AttrMap attrs = {}) {
    auto out = RunKernel(registry_, op, std::move(inputs), std::move(attrs));
    EXPECT_TRUE(out.ok()) << op << ": " << out.status();
    return out.ok() ? (*out)[0] : Tensor();
  }
  std::string Error(std::string_view op, std::vector<Tensor> inputs, AttrMap attrs = {}) {
    auto out = RunKernel(registry_, op, std::move(inputs), std::move(attrs));
    return out.ok() ? "no error" : std::string(out.status().message());
  }
  template <class T>
  void Expect(std::string_view op, std::vector<Tensor> inputs, std::initializer_list<T> wanted, double tolerance = 0,
              AttrMap attrs = {}) {
    const Tensor out = Run(op, std::move(inputs), std::move(attrs));
    ASSERT_TRUE(out.valid());
    ASSERT_EQ(out.dtype(), DTypeOf<T>()) << op;
    ASSERT_EQ(out.num_elements(), static_cast<int64_t>(wanted.size())) << op;
    int64_t i = 0;
    for (const T& want : wanted) {
      const T got = out.data<T>()[i];
      if constexpr (std::is_floating_point_v<T>) {
        const bool same = std::isnan(want) ? std::isnan(got) : got == want || std::abs(got - want) <= tolerance;
        EXPECT_TRUE(same) << op << "[" << i << "] = " << got << ", not " << want;
      } else {
        EXPECT_EQ(got, want) << op << "[" << i << "]";
      }
      ++i;
    }
  }
  OpRegistry registry_;
};

Tensor F(std::initializer_list<float> v) { return Tensor::Vector<float>(v); }
template <class T>
Tensor V(std::initializer_list<T> v) {
  return Tensor::Vector<T>(v);
}
using C = std::complex<float>;

TEST_F(MathOps, SchemasAreWellFormed) { EXPECT_TRUE(registry_.Validate().ok()) << registry_.Validate(); }

TEST_F(MathOps, UnaryArithmetic) {
  Expect<float>("Abs", {F({-1, 2})}, {1, 2});
  Expect<int8_t>("Abs", {V<int8_t>({-128, -3})}, {-128, 3});
  Expect<float>("Neg", {F({-1, 2})}, {1, -2});
  Expect<float>("Inv", {F({2, 4})}, {0.5, 0.25});
  Expect<float>("Reciprocal", {F({2, 0})}, {0.5, kInf});
  Expect<float>("Square", {F({-3, 2})}, {9, 4});
  Expect<int32_t>("Square", {V<int32_t>({-3, 65536})}, {9, 0});
  Expect<float>("Sign", {F({-3, 0, 2, kNan})}, {-1, 0, 1, kNan});
  Expect<float>("Floor", {F({-1.5, 1.5})}, {-2, 1});
  Expect<float>("Ceil", {F({-1.5, 1.5})}, {-1, 2});
  Expect<float>("Round", {F({0.5, 1.5, 2.5, -1.5})}, {0, 2, 2, -2});
  Expect<int32_t>("Round", {V<int32_t>({7})}, {7});
  Expect<float>("Rint", {F({0.5, 1.5})}, {0, 2});
  Expect<bool>("IsNan", {F({1, kNan, kInf})}, {false, true, false});
  Expect<bool>("IsInf", {F({1, kNan, -kInf})}, {false, false, true});
  Expect<bool>("IsFinite", {F({1, kNan, kInf})}, {true, false, false});
  Expect<bool>("IsFinite", {V<half>({half(1.f), half(1e6f)})}, {true, false});
  Expect<bool>("LogicalNot", {V<bool>({true, false})}, {false, true});
  Expect<float>("InvGrad", {F({2}), F({3})}, {-12});
  Expect<float>("ReciprocalGrad", {F({2}), F({3})}, {-12});
}

TEST_F(MathOps, ElementaryFunctions) {
  const std::vector<std::pair<const char*, double (*)(double)>> functions = {
      {"Sqrt", std::sqrt}, {"Exp", std::exp},   {"Expm1", std::expm1},   {"Log", std::log},    {"Log1p", std::log1p},
      {"Sin", std::sin},   {"Cos", std::cos},   {"Tan", std::tan},       {"Sinh", std::sinh},  {"Cosh", std::cosh},
      {"Tanh", std::tanh}, {"Asin", std::asin}, {"Acos", std::acos},     {"Atan", std::atan},  {"Asinh", std::asinh},
      {"Erf", std::erf},   {"Erfc", std::erfc}, {"Lgamma", std::lgamma}, {"Atanh", std::atanh}};
  for (const auto& [op, f] : functions) {
    for (double x : {0.125, 0.75, 0.9}) {
      Expect<double>(op, {V<double>({x})}, {f(x)}, 1e-13);
      Expect<float>(op, {F({static_cast<float>(x)})}, {static_cast<float>(f(static_cast<float>(x)))}, 1e-6);
      const Tensor narrow = Run(op, {V<half>({half(static_cast<float>(x))})});
      EXPECT_NEAR(static_cast<float>(narrow.data<half>()[0]), f(x), 3e-3 * (1 + std::abs(f(x)))) << op;
    }
  }
  Expect<float>("Acosh", {F({1, 2})}, {0, std::acosh(2.f)}, 1e-6);
  Expect<float>("Rsqrt", {F({4, 0})}, {0.5, kInf});
  Expect<float>("Sigmoid", {F({0, 100, -100})}, {0.5, 1, 0}, 1e-30);
  Expect<C>("Exp", {V<C>({C(0, 0)})}, {C(1, 0)});
  Expect<C>("Sqrt", {V<C>({C(-4, 0)})}, {C(0, 2)});
  Expect<float>("SqrtGrad", {F({2}), F({4})}, {1});
  Expect<float>("RsqrtGrad", {F({2}), F({4})}, {-16});
  Expect<float>("TanhGrad", {F({0.5}), F({4})}, {3});
  Expect<float>("SigmoidGrad", {F({0.5}), F({4})}, {1});
}

TEST_F(MathOps, SpecialFunctions) {
  Expect<double>("Erfinv", {V<double>({0, 0.5, -0.5, 1, 2})}, {0, 0.4769362762044699, -0.4769362762044699, kInf, kNan},
                 1e-14);
  Expect<double>("Ndtri", {V<double>({0.5, 0.975, 0, 1e-10})}, {0, 1.959963984540054, -kInf, -6.361340902404056},
                 1e-13);
  Expect<double>("Digamma", {V<double>({1, 0.5, -0.5, 0})},
                 {-0.5772156649015329, -1.9635100260214235, 0.03648997397857652, kNan}, 1e-13);
  Expect<double>("Igamma", {V<double>({2, 1, 0.5, 50}), V<double>({3, 0, 10, 40})},
                 {0.8008517265285442, 0, 0.999992255783569, 0.07033506665939}, 1e-11);
  Expect<double>("Igammac", {V<double>({2, 1, -1}), V<double>({3, 0, 1})}, {0.1991482734714558, 1, kNan}, 1e-13);
  Expect<double>("IgammaGradA", {V<double>({0.5, 1, 100}), V<double>({0.5, 2, 120})},
                 {-0.64720035, -0.22082543, -0.00621319}, 1e-8);
  Expect<double>("Zeta", {V<double>({2, 1, 0.5}), V<double>({1, 1, 1})}, {1.6449340668482264, kInf, kNan}, 1e-13);
  Expect<double>("Polygamma", {V<double>({0, 1, 2, -1}), V<double>({1, 1, 2.5, 1})},
                 {-0.5772156649015329, 1.6449340668482264, -0.2362040516417274, kNan}, 1e-12);
  Expect<double>("Betainc", {V<double>({1, 2, 3}), V<double>({2, 3, 0.5}), V<double>({0.5, 0.2, 0.9})},
                 {0.75, 0.1808, 0.44541556}, 1e-8);
  EXPECT_NE(Error("Betainc", {V<double>({1, 2}), V<double>({1, 2, 3}), V<double>({1})}), "no error");
}

TEST_F(MathOps, BinaryArithmetic) {
  Expect<float>("Add", {F({1, 2}), F({3, 4})}, {4, 6});
  Expect<std::string>("Add", {V<std::string>({"a", "b"}), Tensor::Scalar("c")}, {"ac", "bc"});
  Expect<uint8_t>("AddV2", {V<uint8_t>({250}), V<uint8_t>({10})}, {4});
  Expect<int64_t>("Sub", {V<int64_t>({5}), V<int64_t>({7})}, {-2});
  Expect<uint16_t>("Mul", {V<uint16_t>({65535}), V<uint16_t>({65535})}, {1});
  Expect<C>("Mul", {V<C>({C(1, 2)}), V<C>({C(3, 4)})}, {C(-5, 10)});
  Expect<float>("MulNoNan", {F({kNan, kInf, 0}), F({0, 0, kNan})}, {0, 0, kNan});
  Expect<float>("Div", {F({1, 3}), F({2, 0})}, {0.5, kInf});
  Expect<int32_t>("Div", {V<int32_t>({7, -7}), V<int32_t>({2, 2})}, {3, -3});
  Expect<float>("RealDiv", {F({1}), F({4})}, {0.25});
  Expect<float>("DivNoNan", {F({1, 0}), F({0, kNan})}, {0, kNan});
  Expect<float>("Maximum", {F({1, kNan, 3, -0.f}), F({2, 1, kNan, 0.f})}, {2, kNan, kNan, -0.f});
  Expect<uint64_t>("Minimum", {V<uint64_t>({1, ~uint64_t{0}}), V<uint64_t>({2, 1})}, {1, 1});
  Expect<float>("SquaredDifference", {F({1, 5}), F({3, 2})}, {4, 9});
  Expect<float>("Pow", {F({2, -2, 9}), F({3, 3, 0.5})}, {8, -8, 3});
  Expect<int32_t>("Pow", {V<int32_t>({2, -3, 0, 5}), V<int32_t>({7, 3, 0, 40})}, {128, -27, 1, -1413876383});
  Expect<float>("Xlogy", {F({0, 2}), F({0, 1})}, {0, 0});
  Expect<float>("Xlog1py", {F({0, 2}), F({-1, 0})}, {0, 0});
  Expect<float>("Xdivy", {F({0, 2}), F({0, 4})}, {0, 0.5});
  Expect<float>("Atan2", {F({1}), F({-1})}, {std::atan2(1.f, -1.f)}, 1e-6);
  Expect<float>("NextAfter", {F({1}), F({2})}, {std::nextafter(1.f, 2.f)});
}

TEST_F(MathOps, Division) {
  constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
  const auto x = [] { return V<int32_t>({7, -7, 7, -7, kMin}); };
  const auto y = [] { return V<int32_t>({3, 3, -3, -3, -1}); };
  Expect<int32_t>("FloorDiv", {x(), y()}, {2, -3, -3, 2, kMin});
  Expect<int32_t>("TruncateDiv", {x(), y()}, {2, -2, -2, 2, kMin});
  Expect<int32_t>("FloorMod", {x(), y()}, {1, 2, -2, -1, 0});
  Expect<int32_t>("Mod", {x(), y()}, {1, -1, 1, -1, 0});
  Expect<int32_t>("TruncateMod", {x(), y()}, {1, -1, 1, -1, 0});
  Expect<float>("FloorDiv", {F({7, -7}), F({3, 3})}, {2, -3});
  Expect<float>("FloorMod", {F({7, -7, 7, -1}), F({3, 3, -3, kInf})}, {1, 2, -2, kInf});
  for (const char* op : {"FloorDiv", "TruncateDiv", "FloorMod", "Mod", "TruncateMod", "Div"}) {
    EXPECT_EQ(Error(op, {V<int32_t>({1, 2}), V<int32_t>({1, 0})}), "Integer division by zero") << op;
  }
  EXPECT_EQ(Error("Pow", {V<int32_t>({1}), V<int32_t>({-1})}), "Integers to negative integer powers are not allowed");
}

TEST_F(MathOps, Comparisons) {
  Expect<bool>("Less", {F({1, 2, kNan}), F({2, 2, 1})}, {true, false, false});
  Expect<bool>("LessEqual", {F({1, 2, 3}), F({2, 2, 1})}, {true, true, false});
  Expect<bool>("Greater", {V<half>({half(1.f), half(3.f)}), V<half>({half(2.f), half(2.f)})}, {false, true});
  Expect<bool>("GreaterEqual", {V<int8_t>({-1, 2}), Tensor::Scalar<int8_t>(2)}, {false, true});
  Expect<bool>("GreaterEqual", {Tensor::Scalar<int8_t>(2), V<int8_t>({-1, 3})}, {true, false});
  Expect<bool>("Equal", {F({1, kNan}), F({1, kNan})}, {true, false});
  Expect<bool>("NotEqual", {V<std::string>({"a", "b"}), Tensor::Scalar("a")}, {false, true});
  Expect<bool>("Equal", {F({1, 2}), F({1, 2, 3})}, {false}, 0, {{"incompatible_shape_error", false}});
  Expect<bool>("NotEqual", {F({1, 2}), F({1, 2, 3})}, {true}, 0, {{"incompatible_shape_error", false}});
  Expect<bool>("ApproximateEqual", {F({1, 1, kInf}), F({1.000001, 1.1, kInf})}, {true, false, false});
  EXPECT_NE(Error("ApproximateEqual", {F({1, 2}), F({1})}), "no error");
  Expect<bool>("LogicalAnd", {V<bool>({true, true, false}), V<bool>({true, false, false})}, {true, false, false});
  Expect<bool>("LogicalOr", {V<bool>({true, true, false}), Tensor::Scalar(false)}, {true, true, false});
}

TEST_F(MathOps, Bits) {
  Expect<int32_t>("BitwiseAnd", {V<int32_t>({12, -1}), V<int32_t>({10, 7})}, {8, 7});
  Expect<int32_t>("BitwiseOr", {V<int32_t>({12, 0}), V<int32_t>({10, 7})}, {14, 7});
  Expect<int32_t>("BitwiseXor", {V<int32_t>({12, -1}), V<int32_t>({10, 7})}, {6, -8});
  Expect<int8_t>("LeftShift", {V<int8_t>({1, 1, 5}), V<int8_t>({7, 100, -1})}, {-128, -128, 5});
  Expect<int8_t>("RightShift", {V<int8_t>({-128, -128, 127}), V<int8_t>({1, 100, 7})}, {-64, -1, 0});
  Expect<uint8_t>("Invert", {V<uint8_t>({0, 15})}, {255, 240});
  Expect<uint8_t>("PopulationCount", {V<int16_t>({-1, 3, 0})}, {16, 2, 0});
}

TEST_F(MathOps, ComplexParts) {
  Expect<C>("Conj", {V<C>({C(1, 2)})}, {C(1, -2)});
  Expect<float>("Real", {V<C>({C(1, 2)})}, {1});
  Expect<float>("Imag", {V<C>({C(1, 2)})}, {2});
  Expect<float>("Angle", {V<C>({C(0, 1)})}, {std::acos(0.f)}, 1e-6);
  Expect<float>("ComplexAbs", {V<C>({C(3, 4)})}, {5});
  Expect<C>("Complex", {F({1, 2}), Tensor::Scalar(3.f)}, {C(1, 3), C(2, 3)});
  Expect<double>("Real", {V<std::complex<double>>({{1, 2}})}, {1}, 0, {{"Tout", kDouble}});
  EXPECT_NE(Error("Real", {V<C>({C(1, 2)})}, {{"Tout", kDouble}}).find("no CPU kernel"), std::string::npos);
}

TEST_F(MathOps, NarrowFloatsAreComputedInFloat) {
  Expect<half>("AddV2", {V<half>({half(1.f), half(2.f)}), V<half>({half(0.5f), half(1.f)})}, {half(1.5f), half(3.f)});
  Expect<bfloat16>("Exp", {V<bfloat16>({bfloat16(0.f)})}, {bfloat16(1.f)});
  // Longer than the conversion block, and with a scalar operand.
  Tensor x = Tensor::Zeros(kHalf, Shape{1301}).value();
  for (int i = 0; i < 1301; ++i) x.data<half>()[i] = half(static_cast<float>(i));
  const Tensor y = Run("Mul", {x, Tensor::Scalar(half(0.5f))});
  for (int i = 0; i < 1301; ++i) ASSERT_EQ(static_cast<float>(y.data<half>()[i]), 0.5f * static_cast<float>(i));
}

TEST_F(MathOps, BroadcastsInParallel) {
  Tensor a = Tensor::Zeros(kFloat, Shape{300, 1, 70}).value();
  Tensor b = Tensor::Zeros(kFloat, Shape{20, 70}).value();
  std::iota(a.data<float>(), a.data<float>() + a.num_elements(), 0.f);
  std::iota(b.data<float>(), b.data<float>() + b.num_elements(), 0.f);
  const Tensor c = Run("Sub", {a, b});
  ASSERT_EQ(c.shape(), (Shape{300, 20, 70}));
  for (int i = 0; i < 300; ++i) {
    for (int j = 0; j < 20; ++j) {
      for (int k = 0; k < 70; ++k) {
        ASSERT_EQ(c.data<float>()[(i * 20 + j) * 70 + k], a.data<float>()[i * 70 + k] - b.data<float>()[j * 70 + k]);
      }
    }
  }
}

TEST_F(MathOps, ReusesUnsharedInputMemory) {
  Tensor x = Tensor::Zeros(kFloat, Shape{100}).value();
  const void* memory = x.raw();
  std::vector<Tensor> inputs;
  inputs.push_back(Tensor::Scalar(1.f));
  inputs.push_back(std::move(x));
  EXPECT_EQ(Run("AddV2", std::move(inputs)).raw(), memory);
}

TEST_F(MathOps, ShapesOfElementwiseOps) {
  EXPECT_EQ(CheckShapes(registry_, "Exp", "[2,?]", "in0"), "");
  EXPECT_EQ(CheckShapes(registry_, "Mul", "[2,1];[?,3]", "[2,3]"), "");
  EXPECT_EQ(CheckShapes(registry_, "Mul", "?;[3]", "?"), "");
  EXPECT_EQ(ShapeTest(registry_, "Less", "[2];[3]").substr(0, 5), "error");
  EXPECT_EQ(CheckShapes(registry_, "Equal", "[2];[3]", "?", {{"incompatible_shape_error", false}}), "");
  EXPECT_EQ(CheckShapes(registry_, "ApproximateEqual", "[?,3];[2,?]", "[2,3]"), "");
  EXPECT_EQ(CheckShapes(registry_, "Betainc", "[];[2,?];[?,3]", "[2,3]"), "");
  EXPECT_EQ(CheckShapes(registry_, "Complex", "[2,1];[3]", "[2,3]"), "");
  EXPECT_NE(Error("AddV2", {F({1, 2}), F({1, 2, 3})}), "no error");
}

TEST_F(MathOps, AddN) {
  Expect<float>("AddN", {F({1, 2}), F({3, 4}), F({5, 6})}, {9, 12});
  Expect<float>("AddN", {F({1, 2})}, {1, 2});
  Expect<half>("AddN", {V<half>({half(1.f)}), V<half>({half(2.f)}), V<half>({half(4.f)})}, {half(7.f)});
  Expect<int32_t>("AccumulateNV2", {V<int32_t>({1}), V<int32_t>({2})}, {3}, 0, {{"shape", PartialShape{1}}});
  EXPECT_EQ(CheckShapes(registry_, "AddN", "[2,?];[?,3]", "[2,3]"), "");
}

}  // namespace
}  // namespace weir::ops::elementwise_test
