// Random ops give TensorFlow's numbers over several runs, with any number of threads. All expected values are from
// TensorFlow.
#include <gtest/gtest.h>

#include <cmath>

#include "op/testing.h"
#include "ops/register.h"

namespace weir::ops::random_ops_test {
namespace {

const OpRegistry& Registry() {
  static const OpRegistry& registry = *[] {
    auto* r = new OpRegistry;
    RegisterMathOps(*r);
    return r;
  }();
  return registry;
}

// Keeps a kernel between runs, as a session does, so that its sequence continues.
class KeptKernel final {
 public:
  KeptKernel(std::string op, std::vector<Tensor> inputs, AttrMap attrs, int num_threads = 2)
      : inputs_(std::move(inputs)), pool_("random", num_threads) {
    node_.name = "random";
    node_.op = Registry().Find(op);
    std::vector<DType> types;
    for (const Tensor& input : inputs_) types.push_back(input.dtype());
    EXPECT_TRUE(InferTestAttrs(*node_.op, types, &attrs).ok());
    node_.input_types = ArgTypes(node_.op->inputs, attrs).value();
    node_.output_types = ArgTypes(node_.op->outputs, attrs).value();
    node_.attrs = std::make_shared<const AttrMap>(std::move(attrs));
    KernelSetup setup(node_, RealEnv(), nullptr, nullptr);
    kernel_ = FindKernel(node_, "CPU").value()->make(setup).value();
    step_.pool = &pool_;
  }
  Tensor Run() {
    std::vector<EdgeValue> in(inputs_.size()), out(1);
    for (size_t i = 0; i < in.size(); ++i) in[i].tensor = inputs_[i];
    KernelContext ctx(node_, step_, absl::MakeSpan(in), absl::MakeSpan(out));
    const Status status = kernel_.Run(ctx);
    EXPECT_TRUE(status.ok()) << status;
    return out[0].tensor;
  }

 private:
  NodeInfo node_;
  std::vector<Tensor> inputs_;
  ThreadPool pool_;
  StepContext step_;
  Kernel kernel_;
};

template <class T>
std::vector<T> Values(const Tensor& t) {
  return std::vector<T>(t.flat<T>().begin(), t.flat<T>().end());
}
Tensor ShapeOf(std::initializer_list<int32_t> dims) { return Tensor::Vector<int32_t>(dims); }
AttrMap Seeds(DType dtype) { return {{"seed", int64_t{87654321}}, {"seed2", int64_t{42}}, {"dtype", dtype}}; }
AttrMap Seeds(int64_t seed, int64_t seed2) { return {{"seed", seed}, {"seed2", seed2}}; }

using Floats = std::vector<float>;
using Doubles = std::vector<double>;
using Ints = std::vector<int32_t>;
using Longs = std::vector<int64_t>;

TEST(RandomOps, UniformContinuesInTheNextRun) {
  KeptKernel floats("RandomUniform", {ShapeOf({5})}, Seeds(kFloat));
  EXPECT_EQ(Values<float>(floats.Run()), (Floats{0.9522714614868164f, 0.6774077415466309f, 0.7953182458877563f,
                                                 0.7557817697525024f, 0.475955605506897f}));
  EXPECT_EQ(Values<float>(floats.Run()), (Floats{0.8127422332763672f, 0.5974873304367065f, 0.796147346496582f,
                                                 0.5760071277618408f, 0.13790011405944824f}));
  KeptKernel doubles("RandomUniform", {ShapeOf({3})}, Seeds(kDouble));
  EXPECT_EQ(Values<double>(doubles.Run()), (Doubles{0.6181726095777149, 0.36254602252651336, 0.8076457653772362}));
  EXPECT_EQ(Values<double>(doubles.Run()), (Doubles{0.4501597178423633, 0.27043256518756675, 0.47520519199618416}));
  KeptKernel halves("RandomUniform", {ShapeOf({3})}, Seeds(kHalf));
  const Tensor h = halves.Run();
  EXPECT_EQ(Floats(h.flat<half>().begin(), h.flat<half>().end()), (Floats{0.0078125f, 0.32421875f, 0.2470703125f}));
}

TEST(RandomOps, Normal) {
  KeptKernel floats("RandomStandardNormal", {ShapeOf({5})}, Seeds(kFloat));
  EXPECT_EQ(Values<float>(floats.Run()), (Floats{-0.2807750701904297f, -0.13775210082530975f, -0.6763296127319336f,
                                                 0.024580413475632668f, -0.8935845494270325f}));
  EXPECT_EQ(Values<float>(floats.Run()), (Floats{-0.37023764848709106f, -0.5268839001655579f, -0.3103511333465576f,
                                                 -0.5996867418289185f, 1.694602131843567f}));
  KeptKernel doubles("RandomStandardNormal", {ShapeOf({3})}, Seeds(kDouble));
  EXPECT_EQ(Values<double>(doubles.Run()), (Doubles{0.7456244549943906, -0.6371964266311646, 0.04856931364585292}));
}

TEST(RandomOps, TruncatedNormalRedrawsOutliers) {
  KeptKernel floats("TruncatedNormal", {ShapeOf({5})}, Seeds(kFloat));
  EXPECT_EQ(Values<float>(floats.Run()), (Floats{-0.2807750701904297f, -0.13775210082530975f, -0.6763296127319336f,
                                                 0.024580413475632668f, -0.4684547185897827f}));
  EXPECT_EQ(Values<float>(floats.Run()), (Floats{-0.37023764848709106f, -0.5268839001655579f, -0.3103511333465576f,
                                                 -0.5996867418289185f, -0.014482641592621803f}));
  KeptKernel doubles("TruncatedNormal", {ShapeOf({3})}, Seeds(kDouble));
  EXPECT_EQ(Values<double>(doubles.Run()), (Doubles{0.7456244549943906, -0.6371964266311646, 1.0386338435537557}));
  KeptKernel many("TruncatedNormal", {ShapeOf({10000})}, Seeds(kFloat));
  const Tensor t = many.Run();
  for (const float x : t.flat<float>()) ASSERT_LT(std::abs(x), 2.0f);
}

TEST(RandomOps, Integers) {
  AttrMap seeds = Seeds(87654321, 42);
  KeptKernel ints("RandomUniformInt", {ShapeOf({5}), Tensor::Scalar(int32_t{-5}), Tensor::Scalar(int32_t{1000})},
                  seeds);
  EXPECT_EQ(Values<int32_t>(ints.Run()), (Ints{627, 59, 518, 749, 591}));
  EXPECT_EQ(Values<int32_t>(ints.Run()), (Ints{234, 442, 748, 798, 561}));
  KeptKernel longs("RandomUniformInt",
                   {ShapeOf({3}), Tensor::Scalar(int64_t{-5}), Tensor::Scalar(int64_t{1000000000000})}, seeds);
  EXPECT_EQ(Values<int64_t>(longs.Run()), (Longs{322246721821, 22447059507, 432432433784}));
}

TEST(RandomOps, StatelessOpsDependOnlyOnTheirSeed) {
  const Tensor seed = Tensor::Vector<int64_t>({1, -2});
  auto run = [&](const char* op, std::vector<Tensor> inputs) {
    return RunKernel(Registry(), op, std::move(inputs)).value()[0];
  };
  const Floats uniform = {0.7476804256439209f, 0.7566256523132324f, 0.8433103561401367f};
  EXPECT_EQ(Values<float>(run("StatelessRandomUniform", {ShapeOf({3}), seed})), uniform);
  EXPECT_EQ(Values<float>(run("StatelessRandomUniform", {ShapeOf({3}), Tensor::Vector<int32_t>({1, -2})})), uniform);
  const Floats normal = {-0.7619395852088928f, 0.03173809498548508f, 0.5835484266281128f};
  EXPECT_EQ(Values<float>(run("StatelessRandomNormal", {ShapeOf({3}), seed})), normal);
  EXPECT_EQ(Values<float>(run("StatelessTruncatedNormal", {ShapeOf({3}), seed})), normal);
  EXPECT_EQ(Values<int32_t>(run("StatelessRandomUniformInt",
                                {ShapeOf({5}), seed, Tensor::Scalar(int32_t{0}), Tensor::Scalar(int32_t{100})})),
            (Ints{18, 0, 64, 72, 24}));
  EXPECT_EQ(Values<int64_t>(run("StatelessMultinomial",
                                {Tensor::Of<float>({2, 3}, {0, 1, 2, 3, 0, 0}), Tensor::Scalar(int32_t{8}), seed})),
            (Longs{2, 2, 2, 2, 0, 1, 2, 2, 0, 0, 1, 0, 0, 0, 0, 0}));
}

TEST(RandomOps, MultinomialNeverDrawsClassesOfZeroProbability) {
  const Tensor logits = Tensor::Of<float>({2, 4}, {0, 1, 2, -INFINITY, 3, 0, 0, 0});
  KeptKernel draw("Multinomial", {logits, Tensor::Scalar(int32_t{8})}, Seeds(3, 1));
  EXPECT_EQ(Values<int64_t>(draw.Run()), (Longs{1, 0, 2, 2, 2, 2, 2, 2, 3, 0, 0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(Values<int64_t>(draw.Run()), (Longs{0, 1, 2, 2, 2, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(RandomOps, ShuffleMovesWholeRows) {
  std::vector<int32_t> numbers(10);
  for (int i = 0; i < 10; ++i) numbers[i] = i;
  KeptKernel shuffle("RandomShuffle", {Tensor::Vector<int32_t>(numbers)}, Seeds(11, 2));
  EXPECT_EQ(Values<int32_t>(shuffle.Run()), (Ints{3, 2, 7, 5, 0, 9, 8, 4, 1, 6}));
  EXPECT_EQ(Values<int32_t>(shuffle.Run()), (Ints{6, 7, 1, 5, 8, 9, 0, 4, 2, 3}));
  KeptKernel rows("RandomShuffle", {Tensor::Of<std::string>({3, 2}, {"a", "A", "b", "B", "c", "C"})}, Seeds(11, 2));
  const Tensor t = rows.Run();
  for (int64_t i = 0; i < 3; ++i)
    EXPECT_EQ(t.data<std::string>()[2 * i][0] - 'a', t.data<std::string>()[2 * i + 1][0] - 'A');
}

TEST(RandomOps, GammaAndPoisson) {
  KeptKernel gamma("RandomGamma", {ShapeOf({2}), Tensor::Vector<float>({0.5f, 1.0f, 3.0f})}, Seeds(4, 5));
  EXPECT_EQ(Values<float>(gamma.Run()), (Floats{0.1368200182914734f, 0.5865211486816406f, 3.5280752182006836f,
                                                0.8297002911567688f, 0.45838063955307007f, 4.704197406768799f}));
  EXPECT_EQ(Values<float>(gamma.Run()), (Floats{0.9754292964935303f, 0.14941339194774628f, 1.6184128522872925f,
                                                0.6397579312324524f, 0.6140008568763733f, 4.075154781341553f}));
  KeptKernel poisson("RandomPoissonV2", {ShapeOf({4}), Tensor::Vector<float>({3.0f, 50.0f})}, Seeds(4, 5));
  EXPECT_EQ(Values<int64_t>(poisson.Run()), (Longs{3, 57, 5, 64, 4, 51, 5, 57}));
  EXPECT_EQ(Values<int64_t>(poisson.Run()), (Longs{2, 51, 4, 48, 3, 55, 5, 47}));
  // A rate beyond the range of the output terminates.
  KeptKernel huge("RandomPoissonV2", {ShapeOf({1}), Tensor::Vector<double>({1e300})}, Seeds(4, 5));
  EXPECT_EQ(Values<int64_t>(huge.Run()), (Longs{INT64_MAX}));
}

TEST(RandomOps, NormalBetweenBounds) {
  struct Case {
    float mean, deviation, low, high;
    Floats expected;
  };
  // Bounds that select each of the sampling methods.
  const Case cases[] = {
      {0, 1, -1, 1, {-0.48384976387023926f, -0.9075748920440674f, 0.4800550937652588f, 0.3461437225341797f}},
      {5, 2, 6, 7, {6.25807523727417f, 6.046212673187256f, 6.74002742767334f, 6.67307186126709f}},
      {0, 1, 3, INFINITY, {3.132650136947632f, 3.930884838104248f, 3.00996470451355f, 3.4407036304473877f}},
      {0, 1, -INFINITY, 1, {-0.9348655343055725f, 0.04747341573238373f, 0.15527452528476715f, -0.15579721331596375f}},
  };
  for (const Case& c : cases) {
    KeptKernel kernel("ParameterizedTruncatedNormal",
                      {ShapeOf({4}), Tensor::Scalar(c.mean), Tensor::Scalar(c.deviation), Tensor::Scalar(c.low),
                       Tensor::Scalar(c.high)},
                      Seeds(4, 5));
    EXPECT_EQ(Values<float>(kernel.Run()), c.expected);
  }
}

TEST(RandomOps, ResultsDoNotDependOnThreads) {
  const Tensor shape = ShapeOf({100003});
  const Tensor logits = Tensor::Of<float>({3, 2}, {0, 1, 1, 0, 5, 5});
  const std::vector<std::pair<std::string, std::vector<Tensor>>> cases = {
      {"RandomUniform", {shape}},
      {"RandomStandardNormal", {shape}},
      {"TruncatedNormal", {shape}},
      {"RandomUniformInt", {shape, Tensor::Scalar(int64_t{0}), Tensor::Scalar(int64_t{7})}},
      {"Multinomial", {logits, Tensor::Scalar(int32_t{5001})}},
      {"RandomGamma", {shape, Tensor::Scalar(0.7f)}},
  };
  for (const auto& [op, inputs] : cases) {
    KeptKernel one(op, inputs, Seeds(3, 4), 1), many(op, inputs, Seeds(3, 4), 7);
    for (int run = 0; run < 2; ++run) {
      const Tensor a = one.Run(), b = many.Run();
      EXPECT_EQ(std::memcmp(a.raw(), b.raw(), a.num_bytes()), 0) << op;
    }
  }
}

TEST(RandomOps, WithoutSeedsResultsDiffer) {
  KeptKernel a("RandomUniform", {ShapeOf({4})}, {{"dtype", kFloat}}),
      b("RandomUniform", {ShapeOf({4})}, {{"dtype", kFloat}});
  EXPECT_NE(Values<float>(a.Run()), Values<float>(b.Run()));
}

TEST(RandomOps, EmptyOutputs) {
  EXPECT_EQ(KeptKernel("RandomUniform", {ShapeOf({0, 3})}, Seeds(kFloat)).Run().num_elements(), 0);
  EXPECT_EQ(KeptKernel("RandomGamma", {ShapeOf({0}), Tensor::Scalar(1.0f)}, Seeds(1, 2)).Run().num_elements(), 0);
  EXPECT_EQ(KeptKernel("Multinomial", {Tensor::Of<float>({0, 3}, {}), Tensor::Scalar(int32_t{2})}, Seeds(1, 2))
                .Run()
                .num_elements(),
            0);
  EXPECT_EQ(KeptKernel("RandomShuffle", {Tensor::Of<float>({0, 3}, {})}, Seeds(1, 2)).Run().num_elements(), 0);
}

std::string Error(const char* op, std::vector<Tensor> inputs, AttrMap attrs = {}) {
  const auto result = RunKernel(Registry(), op, std::move(inputs), std::move(attrs));
  EXPECT_EQ(result.status().code(), StatusCode::kInvalidArgument) << op;
  return std::string(result.status().message());
}

TEST(RandomOps, Errors) {
  const Tensor three = Tensor::Scalar(int32_t{3});
  EXPECT_NE(Error("RandomUniform", {ShapeOf({-1, 2})}), "");
  EXPECT_EQ(Error("RandomUniformInt", {ShapeOf({2}), three, three}), "Need minval < maxval, got 3 >= 3");
  EXPECT_EQ(Error("Multinomial", {Tensor::Of<float>({3, 0}, {}), three}), "num_classes should be positive, got 0");
  EXPECT_NE(Error("Multinomial", {Tensor::Of<float>({1, 1}, {0}), Tensor::Scalar(int32_t{-1})}), "");
  EXPECT_NE(Error("StatelessRandomUniform", {ShapeOf({2}), Tensor::Vector<int64_t>({1})}), "");
  const Tensor zero = Tensor::Scalar(0.0f), one = Tensor::Scalar(1.0f);
  EXPECT_EQ(Error("ParameterizedTruncatedNormal", {ShapeOf({2}), zero, zero, zero, one}), "Invalid parameters");
  EXPECT_EQ(Error("ParameterizedTruncatedNormal", {ShapeOf({2}), zero, one, one, zero}), "Invalid parameters");
}

TEST(RandomOps, Shapes) {
  EXPECT_EQ(ShapeTest(Registry(), "RandomUniform", "[2]", {}, {{0, ShapeOf({3, 4})}}), "[3,4]");
  EXPECT_EQ(ShapeTest(Registry(), "RandomUniform", "[2]"), "[?,?]");
  EXPECT_EQ(ShapeTest(Registry(), "RandomUniform", "?"), "?");
  EXPECT_EQ(ShapeTest(Registry(), "RandomShuffle", "[2,?]"), "[2,?]");
  EXPECT_EQ(ShapeTest(Registry(), "Multinomial", "[2,?];[]", {}, {{1, Tensor::Scalar(int32_t{5})}}), "[2,5]");
  EXPECT_EQ(ShapeTest(Registry(), "Multinomial", "[2,?];[]"), "[2,?]");
  EXPECT_EQ(ShapeTest(Registry(), "RandomGamma", "[1];[2,?]", {}, {{0, ShapeOf({3})}}), "[3,2,?]");
  EXPECT_EQ(ShapeTest(Registry(), "StatelessRandomNormal", "[2];[2]"), "[?,?]");
  EXPECT_EQ(ShapeTest(Registry(), "StatelessRandomNormal", "[2];[3]").substr(0, 5), "error");
}

}  // namespace
}  // namespace weir::ops::random_ops_test
