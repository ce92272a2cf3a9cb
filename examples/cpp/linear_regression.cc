// Fits y = w * x + b to points around y = 2 x + 0.2 with Adagrad, and checks the result.
#include <weir/weir.h>

#include <cmath>
#include <cstdio>
#include <random>

using namespace weir;

int main() {
  constexpr int kPoints = 101;
  std::mt19937 rng(1);
  std::normal_distribution<float> noise(0, 0.1f);
  Tensor xs = Tensor::Zeros(kFloat, {kPoints}).value();
  Tensor ys = Tensor::Zeros(kFloat, {kPoints}).value();
  for (int i = 0; i < kPoints; ++i) {
    xs.data<float>()[i] = -1.0f + 2.0f * i / (kPoints - 1);
    ys.data<float>()[i] = 2.0f * xs.data<float>()[i] + 0.2f + noise(rng);
  }

  Engine engine;
  Graph& g = engine.graph();
  auto x = Placeholder(g, kFloat, {.name = "x"});
  auto y = Placeholder(g, kFloat, {.name = "y"});
  Var w(g, -1.0f, {.name = "w"});
  Var b(g, -2.0f, {.name = "b"});
  auto loss = ReduceMean(Square(x * w + b - y));
  Op train = AdagradOptimizer(0.8).Minimize(loss);

  ClientSession session(engine);
  session.Run(engine.InitializeVariables());
  for (int step = 0; step < 200; ++step) session.Run({{x, xs}, {y, ys}}, {}, {train});

  const std::vector<Tensor> fitted = session.Run({w, b});
  const float slope = fitted[0].scalar<float>();
  const float offset = fitted[1].scalar<float>();
  std::printf("w = %.3f, b = %.3f\n", slope, offset);
  return std::abs(slope - 2.0f) < 0.1f && std::abs(offset - 0.2f) < 0.1f ? 0 : 1;
}
