// Selection, casts, sequences, bins and the cross product: values, errors and shapes.
#include <gtest/gtest.h>

#include <limits>

#include "op/testing.h"
#include "ops/register.h"

namespace weir::ops::select_test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

class Selections : public ::testing::Test {
 protected:
  Selections() { RegisterMathOps(registry_); }
  template <class T>
  std::vector<T> Values(std::string_view op, std::vector<Tensor> inputs, AttrMap attrs = {}) {
    auto out = RunKernel(registry_, op, std::move(inputs), std::move(attrs));
    EXPECT_TRUE(out.ok()) << op << ": " << out.status();
    if (!out.ok()) return {};
    return std::vector<T>((*out)[0].data<T>(), (*out)[0].data<T>() + (*out)[0].num_elements());
  }
  Status Fails(std::string_view op, std::vector<Tensor> inputs, AttrMap attrs = {}) {
    return RunKernel(registry_, op, std::move(inputs), std::move(attrs)).status();
  }
  OpRegistry registry_;
};
template <class T>
Tensor V(std::initializer_list<T> v) {
  return Tensor::Vector<T>(v);
}
template <class T>
Tensor S(T v) {
  return Tensor::Scalar<T>(v);
}
using Fs = std::vector<float>;
using Is = std::vector<int32_t>;

TEST_F(Selections, Select) {
  EXPECT_EQ(Values<float>("Select", {V<bool>({true, false}), V<float>({1, 2}), V<float>({3, 4})}), (Fs{1, 4}));
  EXPECT_EQ(Values<float>("Select", {S(false), V<float>({1, 2}), V<float>({3, 4})}), (Fs{3, 4}));
  EXPECT_EQ(Values<float>("Select", {V<bool>({false, true}), Tensor::Of<float>(Shape{2, 2}, {1, 2, 3, 4}),
                                     Tensor::Of<float>(Shape{2, 2}, {5, 6, 7, 8})}),
            (Fs{5, 6, 3, 4}));
  EXPECT_EQ(
      Values<std::string>("Select", {V<bool>({true, false}), V<std::string>({"a", "b"}), V<std::string>({"c", "d"})}),
      (std::vector<std::string>{"a", "d"}));
  EXPECT_FALSE(Fails("Select", {V<bool>({true}), V<float>({1, 2}), V<float>({3, 4})}).ok());
  EXPECT_FALSE(Fails("Select", {V<bool>({true}), V<float>({1}), V<float>({3, 4})}).ok());
  EXPECT_EQ(CheckShapes(registry_, "Select", "[?];[2,?];[?,3]", "[2,3]"), "");
  EXPECT_EQ(CheckShapes(registry_, "Select", "[];?;?", "?"), "");
}

TEST_F(Selections, SelectV2Broadcasts) {
  EXPECT_EQ(
      Values<int32_t>("SelectV2", {Tensor::Of<bool>(Shape{2, 1}, {true, false}), V<int32_t>({1, 2}), S<int32_t>(9)}),
      (Is{1, 2, 9, 9}));
  EXPECT_EQ(CheckShapes(registry_, "SelectV2", "[2,1];[3];[]", "[2,3]"), "");
  EXPECT_FALSE(Fails("SelectV2", {V<bool>({true, false}), V<float>({1, 2, 3}), S(1.f)}).ok());
}

TEST_F(Selections, ClipByValue) {
  EXPECT_EQ(Values<float>("ClipByValue", {V<float>({1, 5, 9}), S(2.f), S(6.f)}), (Fs{2, 5, 6}));
  EXPECT_EQ(Values<float>("ClipByValue", {V<float>({1, 5, 9}), V<float>({2, 6, 2}), S(8.f)}), (Fs{2, 6, 8}));
  EXPECT_EQ(Values<int8_t>("ClipByValue", {V<int8_t>({-9, 9}), S<int8_t>(-1), S<int8_t>(1)}),
            (std::vector<int8_t>{-1, 1}));
  EXPECT_FALSE(Fails("ClipByValue", {V<float>({1, 5, 9}), V<float>({2}), S(6.f)}).ok());
}

TEST_F(Selections, Cast) {
  auto to = [](DType type) { return AttrMap{{"DstT", type}}; };
  constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
  EXPECT_EQ(Values<int32_t>("Cast", {V<float>({1.9f, -1.9f, kNan, kInf, -1e10f, 2147483520.f})}, to(kInt32)),
            (Is{1, -1, kMin, kMin, kMin, 2147483520}));
  EXPECT_EQ(Values<int64_t>("Cast", {V<double>({1e18, 1e19, -1e19})}, to(kInt64)),
            (std::vector<int64_t>{1000000000000000000, std::numeric_limits<int64_t>::min(),
                                  std::numeric_limits<int64_t>::min()}));
  EXPECT_EQ(Values<uint64_t>("Cast", {V<double>({1e19})}, to(kUint64)), (std::vector<uint64_t>{10000000000000000000u}));
  EXPECT_EQ(Values<int8_t>("Cast", {V<int32_t>({255, 128, -1})}, to(kInt8)), (std::vector<int8_t>{-1, -128, -1}));
  EXPECT_EQ(Values<bool>("Cast", {V<float>({0, 0.1f, kNan})}, to(kBool)), (std::vector<bool>{false, true, true}));
  EXPECT_EQ(Values<float>("Cast", {V<bool>({true, false})}, to(kFloat)), (Fs{1, 0}));
  using C = std::complex<float>;
  EXPECT_EQ(Values<int32_t>("Cast", {V<C>({C(1.5f, 7)})}, to(kInt32)), (Is{1}));
  EXPECT_EQ(Values<C>("Cast", {V<int64_t>({3})}, to(kComplex64)), (std::vector<C>{C(3, 0)}));
  EXPECT_EQ(Values<C>("Cast", {V<double>({3})}, to(kComplex64)), (std::vector<C>{C(3, 0)}));
  EXPECT_EQ(Values<double>("Cast", {V<half>({half(0.5f)})}, to(kDouble)), (std::vector<double>{0.5}));
  const auto third = Values<bfloat16>("Cast", {V<float>({1.f / 3})}, {{"DstT", kBFloat16}, {"Truncate", true}});
  EXPECT_EQ(third[0].bits, 0x3eaa);
  EXPECT_EQ(Fails("Cast", {V<float>({1})}, to(kString)).code(), StatusCode::kUnimplemented);
}

TEST_F(Selections, CastBetweenAllTypes) {
  const std::vector<DType> types = {kBool,   kInt8, kUint8, kInt16,  kUint16,   kInt32,     kUint32,    kInt64,
                                    kUint64, kHalf, kFloat, kDouble, kBFloat16, kComplex64, kComplex128};
  for (DType from : types) {
    auto value = RunKernel(registry_, "Cast", {V<bool>({true, false})}, {{"DstT", from}});
    ASSERT_TRUE(value.ok());
    for (DType to : types) {
      auto converted = RunKernel(registry_, "Cast", {(*value)[0]}, {{"DstT", to}});
      ASSERT_TRUE(converted.ok()) << DTypeName(from) << " to " << DTypeName(to) << ": " << converted.status();
      EXPECT_EQ(Values<double>("Cast", {(*converted)[0]}, {{"DstT", kDouble}}), (std::vector<double>{1, 0}))
          << DTypeName(from) << " to " << DTypeName(to);
    }
  }
}

TEST_F(Selections, Range) {
  EXPECT_EQ(Values<int32_t>("Range", {S<int32_t>(1), S<int32_t>(8), S<int32_t>(3)}), (Is{1, 4, 7}));
  EXPECT_EQ(Values<int32_t>("Range", {S<int32_t>(3), S<int32_t>(-2), S<int32_t>(-2)}), (Is{3, 1, -1}));
  EXPECT_EQ(Values<float>("Range", {S(0.f), S(1.f), S(0.25f)}), (Fs{0, 0.25, 0.5, 0.75}));
  EXPECT_EQ(Values<int32_t>("Range", {S<int32_t>(4), S<int32_t>(4), S<int32_t>(1)}), Is{});
  EXPECT_FALSE(Fails("Range", {S<int32_t>(0), S<int32_t>(1), S<int32_t>(0)}).ok());
  EXPECT_FALSE(Fails("Range", {S<int32_t>(0), S<int32_t>(1), S<int32_t>(-1)}).ok());
  EXPECT_FALSE(Fails("Range", {S(0.f), S(kInf), S(1.f)}).ok());
  EXPECT_FALSE(Fails("Range", {S(kNan), S(1.f), S(1.f)}).ok());
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  EXPECT_FALSE(Fails("Range", {S<int64_t>(-kMax), S<int64_t>(kMax), S<int64_t>(1)}).ok());
  EXPECT_EQ(CheckShapes(registry_, "Range", "[];[];[]", "[?]"), "");
}

TEST_F(Selections, LinSpace) {
  EXPECT_EQ(Values<float>("LinSpace", {S(0.f), S(1.f), S<int32_t>(3)}), (Fs{0, 0.5, 1}));
  EXPECT_EQ(Values<float>("LinSpace", {S(5.f), S(1.f), S<int32_t>(1)}), (Fs{5}));
  EXPECT_FALSE(Fails("LinSpace", {S(0.f), S(1.f), S<int32_t>(0)}).ok());
  EXPECT_EQ(CheckShapes(registry_, "LinSpace", "[];[];[]", "[7]", {}, {{2, S<int32_t>(7)}}), "");
}

TEST_F(Selections, Bins) {
  EXPECT_EQ(Values<int32_t>("Bucketize", {V<float>({-5, 0, 10, 150, kNan})},
                            {{"boundaries", std::vector<float>{0, 10, 100}}}),
            (Is{0, 1, 2, 3, 3}));
  EXPECT_FALSE(Fails("Bucketize", {V<float>({1})}, {{"boundaries", std::vector<float>{1, 0}}}).ok());
  EXPECT_EQ(Values<int32_t>("Bincount", {V<int32_t>({1, 2, 1, 7}), S<int32_t>(4), V<int32_t>({})}), (Is{0, 2, 1, 0}));
  EXPECT_EQ(Values<float>("Bincount", {V<int32_t>({1, 1}), S<int32_t>(2), V<float>({0.5, 2})}), (Fs{0, 2.5}));
  EXPECT_FALSE(Fails("Bincount", {V<int32_t>({-1}), S<int32_t>(2), V<float>({})}).ok());
  EXPECT_FALSE(Fails("Bincount", {V<int32_t>({1}), S<int32_t>(-2), V<float>({})}).ok());
  EXPECT_FALSE(Fails("Bincount", {V<int32_t>({1}), S<int32_t>(2), V<float>({1, 2})}).ok());
  EXPECT_EQ(CheckShapes(registry_, "Bincount", "[?];[];?", "[9]", {}, {{1, S<int32_t>(9)}}), "");
  EXPECT_EQ(Values<int32_t>("HistogramFixedWidth", {V<float>({-1, 0, 1.5, 2, 5, 15}), V<float>({0, 5}), S<int32_t>(5)}),
            (Is{2, 1, 1, 0, 2}));
  EXPECT_FALSE(Fails("HistogramFixedWidth", {V<float>({1}), V<float>({5, 5}), S<int32_t>(5)}).ok());
  EXPECT_FALSE(Fails("HistogramFixedWidth", {V<float>({kNan}), V<float>({0, 5}), S<int32_t>(5)}).ok());
  EXPECT_FALSE(Fails("HistogramFixedWidth", {V<float>({1}), V<float>({0, 5}), S<int32_t>(0)}).ok());
}

TEST_F(Selections, Cross) {
  EXPECT_EQ(Values<int32_t>("Cross", {V<int32_t>({1, 2, 3}), V<int32_t>({4, 5, 6})}), (Is{-3, 6, -3}));
  EXPECT_FALSE(Fails("Cross", {V<float>({1, 2}), V<float>({1, 2})}).ok());
  EXPECT_EQ(CheckShapes(registry_, "Cross", "[2,?];[?,?]", "[2,3]"), "");
}

}  // namespace
}  // namespace weir::ops::select_test
