// Trains two layers to compute "exclusive or" with Adam.
#include <weir/weir.h>

#include <cstdio>

using namespace weir;

int main() {
  Engine engine;
  Graph& g = engine.graph();
  g.seed = 1;
  const Output x = Constant(g, Tensor::Of<float>({4, 2}, {0, 0, 0, 1, 1, 0, 1, 1}));
  const Output wanted = Constant(g, Tensor::Of<float>({4, 1}, {0, 1, 1, 0}));
  const Output hidden = layers::Dense(x, 8, {.activation = Tanh});
  const Output loss = ReduceMean(Square(layers::Dense(hidden, 1) - wanted));
  const Var step = GetOrCreateGlobalStep(g);
  const Op train = AdamOptimizer(0.05f).Minimize(loss, {.global_step = step.variable()});

  const ClientSession session(engine);
  session.Run(engine.InitializeVariables());
  for (int i = 0; i < 300; ++i) session.Run(train);
  const std::vector<Tensor> values = session.Run({loss, step});
  std::printf("loss %.4f after %lld steps\n", values[0].scalar<float>(), static_cast<long long>(values[1].Int(0)));
  return values[0].scalar<float>() < 0.05f ? 0 : 1;
}
