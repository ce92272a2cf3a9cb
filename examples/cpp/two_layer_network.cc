// A network with one hidden layer learns which of two interleaved spirals a point is on.
#include <weir/weir.h>

#include <cmath>
#include <cstdio>

using namespace weir;

namespace {

constexpr int kPerArm = 100;
constexpr int kHidden = 64;

struct Spirals {
  Tensor points = Tensor::Zeros(kFloat, {2 * kPerArm, 2}).value();
  Tensor labels = Tensor::Zeros(kInt32, {2 * kPerArm}).value();
};

Spirals MakeSpirals() {
  Spirals data;
  for (int arm = 0; arm < 2; ++arm)
    for (int i = 0; i < kPerArm; ++i) {
      const float radius = 0.1f + 0.9f * i / kPerArm;
      const float angle = 4.0f * radius + 3.14159265f * arm;
      float* point = data.points.data<float>() + 2 * (arm * kPerArm + i);
      point[0] = radius * std::cos(angle);
      point[1] = radius * std::sin(angle);
      data.labels.data<int32_t>()[arm * kPerArm + i] = arm;
    }
  return data;
}

Output Dense(Output x, int64_t in, int64_t out, const std::string& name) {
  Graph& g = x.graph();
  VariableScopeGuard scope(g, name);
  Var w(GetVariable(g, "w", {in, out}));
  Var b(g, Tensor::Zeros(kFloat, {out}).value(), {.name = "b"});
  return MatMul(x, w) + b;
}

}  // namespace

int main() {
  const Spirals data = MakeSpirals();
  Engine engine;
  Graph& g = engine.graph();
  g.seed = 1;
  auto x = Placeholder(g, kFloat, {.shape = {kUnknownDim, 2}, .name = "x"});
  auto y = Placeholder(g, kInt32, {.shape = {kUnknownDim}, .name = "y"});
  auto logits = Dense(Tanh(Dense(x, 2, kHidden, "hidden")), kHidden, 2, "logits");
  auto loss = ReduceMean(SparseSoftmaxCrossEntropy(logits, y));
  auto hits = Equal(ArgMax(logits, 1, {.output_type = kInt32}), y);
  auto accuracy = ReduceMean(Cast(hits, kFloat));
  Op train = AdamOptimizer(0.01).Minimize(loss);

  ClientSession session(engine);
  session.Run(engine.InitializeVariables());
  const ClientSession::Feeds feeds = {{x, data.points}, {y, data.labels}};
  for (int step = 0; step <= 600; ++step) {
    const auto values = session.Run(feeds, {loss, accuracy}, {train});
    if (step % 150 == 0)
      std::printf("step %3d  loss %.4f  accuracy %.3f\n", step, values[0].scalar<float>(), values[1].scalar<float>());
  }
  return session.Run(feeds, {accuracy})[0].scalar<float>() > 0.95f ? 0 : 1;
}
