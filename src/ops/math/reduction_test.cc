// Compares reductions, ArgMax, ArgMin and cumulative ops with plain loops over all indices.
#include "ops/math/reduction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "op/testing.h"
#include "ops/register.h"

namespace weir::ops::reduction_test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

class Reductions : public ::testing::Test {
 protected:
  Reductions() { RegisterMathOps(registry_); }
  Result<Tensor> TryRun(std::string_view op, std::vector<Tensor> inputs, AttrMap attrs = {}, int threads = 2) {
    KernelTester tester(registry_, threads);
    WEIR_ASSIGN(std::vector<Tensor> out, tester.Run(op, std::move(inputs), std::move(attrs)));
    return out[0];
  }
  Tensor Run(std::string_view op, std::vector<Tensor> inputs, AttrMap attrs = {}) {
    auto out = TryRun(op, std::move(inputs), std::move(attrs));
    EXPECT_TRUE(out.ok()) << op << ": " << out.status();
    return out.ok() ? *out : Tensor();
  }
  std::string Error(std::string_view op, std::vector<Tensor> inputs, AttrMap attrs = {}) {
    auto out = TryRun(op, std::move(inputs), std::move(attrs));
    return out.ok() ? "no error" : std::string(out.status().message());
  }
  OpRegistry registry_;
};

Tensor Axes(std::vector<int32_t> axes) { return Tensor::Vector<int32_t>(absl::MakeSpan(axes)); }

// Distinct values whose sums are exact.
template <class T>
Tensor Numbers(const Shape& shape) {
  Tensor t = Tensor::Zeros(DTypeOf<T>(), shape).value();
  for (int64_t i = 0; i < t.num_elements(); ++i) t.data<T>()[i] = static_cast<T>((i * 7919) % 23 - 11);
  return t;
}

// Folds the elements of each output one after another.
template <class T>
std::vector<double> Expected(const Tensor& x, const std::vector<int32_t>& axes, double first,
                             const std::function<double(double, double)>& fold) {
  std::vector<bool> reduced(x.rank(), false);
  for (int a : axes) reduced[a < 0 ? a + x.rank() : a] = true;
  int64_t outputs = 1;
  for (int d = 0; d < x.rank(); ++d) {
    if (!reduced[d]) outputs *= x.dim(d);
  }
  std::vector<double> out(outputs, first);
  for (int64_t e = 0; e < x.num_elements(); ++e) {
    int64_t rest = e;
    int64_t at = 0;
    int64_t stride = 1;
    for (int d = x.rank() - 1; d >= 0; --d) {
      if (!reduced[d]) {
        at += rest % x.dim(d) * stride;
        stride *= x.dim(d);
      }
      rest /= x.dim(d);
    }
    out[at] = fold(out[at], static_cast<double>(x.data<T>()[e]));
  }
  return out;
}

TEST_F(Reductions, OverAnyAxes) {
  const std::vector<std::pair<Shape, std::vector<int32_t>>> cases = {
      {{}, {}},
      {{5}, {0}},
      {{5}, {}},
      {{3, 4}, {0}},
      {{3, 4}, {-1}},
      {{3, 4}, {1, 0}},
      {{2, 3, 4}, {1}},
      {{2, 3, 4}, {0, 2}},
      {{2, 3, 4, 5}, {0, 2}},
      {{2, 3, 4, 5}, {1, 3}},
      {{1, 7, 1}, {0}},
      {{40000, 3}, {0}},
      {{3, 40000}, {1}},
      {{70000}, {0}},
      {{2, 700, 600}, {1}},
      {{30, 700, 5}, {0, 2}},
      {{9, 1300}, {0}},
      {{600, 4, 50}, {0, 2}},
  };
  for (const auto& [shape, axes] : cases) {
    const Tensor x = Numbers<float>(shape);
    const auto sums = Expected<float>(x, axes, 0, [](double a, double b) { return a + b; });
    const auto largest = Expected<float>(x, axes, -1e9, [](double a, double b) { return std::max(a, b); });
    const auto smallest = Expected<float>(x, axes, 1e9, [](double a, double b) { return std::min(a, b); });
    const double count = static_cast<double>(x.num_elements()) / static_cast<double>(sums.size());
    const Tensor sum = Run("Sum", {x, Axes(axes)});
    const Tensor mean = Run("Mean", {x, Axes(axes)}, {{"keep_dims", true}});
    const Tensor max = Run("Max", {x, Axes(axes)});
    const Tensor min = Run("Min", {x, Axes(axes)});
    ASSERT_EQ(sum.num_elements(), static_cast<int64_t>(sums.size()));
    EXPECT_EQ(mean.rank(), x.rank());
    for (size_t i = 0; i < sums.size(); ++i) {
      ASSERT_EQ(sum.data<float>()[i], static_cast<float>(sums[i])) << shape.ToString();
      ASSERT_FLOAT_EQ(mean.data<float>()[i], static_cast<float>(sums[i] / count));
      ASSERT_EQ(max.data<float>()[i], static_cast<float>(largest[i]));
      ASSERT_EQ(min.data<float>()[i], static_cast<float>(smallest[i]));
    }
    const Tensor ints = Run("Sum", {Numbers<int32_t>(shape), Axes(axes)});
    for (size_t i = 0; i < sums.size(); ++i) ASSERT_EQ(ints.data<int32_t>()[i], static_cast<int32_t>(sums[i]));
  }
}

TEST_F(Reductions, DoNotDependOnThreads) {
  Tensor x = Tensor::Zeros(kFloat, Shape{500000}).value();
  for (int64_t i = 0; i < x.num_elements(); ++i) x.data<float>()[i] = std::sin(static_cast<float>(i));
  const float one = TryRun("Sum", {x, Axes({0})}, {}, 0)->scalar<float>();
  EXPECT_EQ(TryRun("Sum", {x, Axes({0})}, {}, 3)->scalar<float>(), one);
}

TEST_F(Reductions, Types) {
  EXPECT_EQ(Run("Sum", {Tensor::Vector<int8_t>({100, 100}), Axes({0})}).scalar<int8_t>(), -56);
  EXPECT_EQ(Run("Mean", {Tensor::Vector<int8_t>({100, 100, 100, 101}), Axes({0})}).scalar<int8_t>(), 100);
  EXPECT_EQ(Run("Mean", {Tensor::Vector<int32_t>({-7, 0}), Axes({0})}).scalar<int32_t>(), -3);
  EXPECT_EQ(Run("Prod", {Tensor::Vector<int32_t>({2, 3, 7}), Axes({0})}).scalar<int32_t>(), 42);
  EXPECT_EQ(Run("Max", {Tensor::Vector<uint64_t>({1, ~uint64_t{0}}), Axes({0})}).scalar<uint64_t>(), ~uint64_t{0});
  EXPECT_EQ(Run("EuclideanNorm", {Tensor::Vector<float>({3, 4}), Axes({0})}).scalar<float>(), 5);
  using C = std::complex<float>;
  EXPECT_EQ(Run("EuclideanNorm", {Tensor::Vector<C>({C(0, 3), C(4, 0)}), Axes({0})}).scalar<C>(), C(5, 0));
  EXPECT_EQ(Run("Sum", {Tensor::Vector<C>({C(0, 3), C(4, 0)}), Axes({0})}).scalar<C>(), C(4, 3));
  EXPECT_FALSE(Run("All", {Tensor::Vector<bool>({true, false}), Axes({0})}).scalar<bool>());
  EXPECT_TRUE(Run("Any", {Tensor::Vector<bool>({true, false}), Axes({0})}).scalar<bool>());
  Tensor halves = Tensor::Zeros(kHalf, Shape{3000, 2}).value();
  for (int64_t i = 0; i < 6000; ++i) halves.data<half>()[i] = half(0.25f);
  EXPECT_EQ(static_cast<float>(Run("Sum", {halves, Axes({0})}).data<half>()[1]), 750.f);
  EXPECT_EQ(static_cast<float>(Run("Sum", {halves, Axes({0, 1})}).scalar<half>()), 1500.f);
}

TEST_F(Reductions, OfEmptyInputs) {
  const Tensor none = Tensor::Zeros(kFloat, Shape{0, 2}).value();
  auto first = [&](const char* op) { return Run(op, {none, Axes({0})}).data<float>()[1]; };
  EXPECT_EQ(first("Sum"), 0);
  EXPECT_EQ(first("Prod"), 1);
  EXPECT_TRUE(std::isnan(first("Mean")));
  EXPECT_EQ(first("Max"), -kInf);
  EXPECT_EQ(first("Min"), kInf);
  EXPECT_EQ(Run("Sum", {none, Axes({1})}).num_elements(), 0);
}

TEST_F(Reductions, MaxAndMinPropagateNan) {
  const Tensor x = Tensor::Of<float>(Shape{2, 2}, {1, kNan, 3, 4});
  EXPECT_TRUE(std::isnan(Run("Max", {x, Axes({0, 1})}).scalar<float>()));
  EXPECT_TRUE(std::isnan(Run("Min", {x, Axes({0})}).data<float>()[1]));
  EXPECT_EQ(Run("Min", {x, Axes({0})}).data<float>()[0], 1);
}

TEST_F(Reductions, ErrorsNameTheAxis) {
  const Tensor x = Tensor::Zeros(kFloat, Shape{2, 3}).value();
  EXPECT_NE(Error("Sum", {x, Axes({2})}).find("Invalid reduction dimension"), std::string::npos);
  EXPECT_NE(Error("Max", {x, Axes({0, -2})}).find("duplicate dimension: 0"), std::string::npos);
  EXPECT_NE(Error("ArgMax", {x, Tensor::Scalar<int32_t>(2)}).find("[-2, 2)"), std::string::npos);
  EXPECT_NE(Error("ArgMax", {Tensor::Zeros(kFloat, Shape{0, 2}).value(), Tensor::Scalar<int32_t>(0)}).find("empty"),
            std::string::npos);
  EXPECT_NE(Error("Cumsum", {x, Tensor::Scalar<int32_t>(-3)}).find("[-2, 2)"), std::string::npos);
}

TEST_F(Reductions, Shapes) {
  const std::map<int, Tensor> axis{{1, Axes({1})}};
  EXPECT_EQ(CheckShapes(registry_, "Sum", "[2,?,4];[1]", "[2,4]", {}, axis), "");
  EXPECT_EQ(CheckShapes(registry_, "Sum", "[2,?,4];[1]", "[2,1,4]", {{"keep_dims", true}}, axis), "");
  EXPECT_EQ(CheckShapes(registry_, "Sum", "[2,3];[1]", "?"), "");
  EXPECT_EQ(CheckShapes(registry_, "Sum", "[2,3];[1]", "[?,?]", {{"keep_dims", true}}), "");
  EXPECT_EQ(ShapeTest(registry_, "Max", "[2];[1]", {}, axis).substr(0, 5), "error");
  EXPECT_EQ(CheckShapes(registry_, "ArgMax", "[2,3];[]", "[?]"), "");
  EXPECT_EQ(CheckShapes(registry_, "ArgMin", "[2,3];[]", "[2]", {}, {{1, Tensor::Scalar<int32_t>(-1)}}), "");
  EXPECT_EQ(CheckShapes(registry_, "Cumprod", "[2,?];[]", "in0"), "");
}

TEST_F(Reductions, ArgExtremes) {
  const Tensor x = Tensor::Of<float>(Shape{2, 3}, {1, 5, kNan, 7, 5, -1});
  auto indices = [&](const char* op, int axis) {
    const Tensor out = Run(op, {x, Tensor::Scalar<int32_t>(axis)});
    return std::vector<int64_t>(out.data<int64_t>(), out.data<int64_t>() + out.num_elements());
  };
  EXPECT_EQ(indices("ArgMax", 0), (std::vector<int64_t>{1, 0, 1}));
  EXPECT_EQ(indices("ArgMax", 1), (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(indices("ArgMin", -1), (std::vector<int64_t>{0, 2}));
  const Tensor wide = Numbers<int32_t>(Shape{3, 5, 700});
  const Tensor at = Run("ArgMax", {wide, Tensor::Scalar<int32_t>(1)}, {{"output_type", kInt32}});
  for (int64_t o = 0; o < 3; ++o) {
    for (int64_t j = 0; j < 700; ++j) {
      int32_t best = 0;
      auto value = [&](int64_t k) { return wide.data<int32_t>()[(o * 5 + k) * 700 + j]; };
      for (int32_t k = 1; k < 5; ++k) {
        if (value(k) > value(best)) best = k;
      }
      ASSERT_EQ(at.data<int32_t>()[o * 700 + j], best);
    }
  }
}

TEST_F(Reductions, Cumulative) {
  const Tensor x = Tensor::Of<float>(Shape{2, 3}, {1, 2, 3, 4, 5, 6});
  auto values = [&](const char* op, int axis, bool exclusive, bool reverse) {
    const Tensor out = Run(op, {x, Tensor::Scalar<int32_t>(axis)}, {{"exclusive", exclusive}, {"reverse", reverse}});
    return std::vector<float>(out.data<float>(), out.data<float>() + out.num_elements());
  };
  EXPECT_EQ(values("Cumsum", 1, false, false), (std::vector<float>{1, 3, 6, 4, 9, 15}));
  EXPECT_EQ(values("Cumsum", 1, true, false), (std::vector<float>{0, 1, 3, 0, 4, 9}));
  EXPECT_EQ(values("Cumsum", 1, false, true), (std::vector<float>{6, 5, 3, 15, 11, 6}));
  EXPECT_EQ(values("Cumsum", 0, true, true), (std::vector<float>{4, 5, 6, 0, 0, 0}));
  EXPECT_EQ(values("Cumprod", -1, false, false), (std::vector<float>{1, 2, 6, 4, 20, 120}));
  EXPECT_EQ(values("Cumprod", 0, true, true), (std::vector<float>{4, 5, 6, 1, 1, 1}));
}

}  // namespace
}  // namespace weir::ops::reduction_test
