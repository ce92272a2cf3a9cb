// Builds a graph, runs it, and differentiates it.
#include <weir/weir.h>

#include <cstdio>

using namespace weir;

int main() {
  Engine engine;
  Graph& g = engine.graph();
  const Output x = Placeholder(g, kFloat, {.shape = {kUnknownDim, 2}, .name = "x"});
  const Output w = Constant(g, Tensor::Of<float>({2, 1}, {1, 10}));
  const Output y = MatMul(x, w) + 0.5f;
  const Output slope = DenseGradients(ReduceSum(y), {x})[0];
  std::printf("%s has the shape %s\n", y.name().c_str(), y.shape().ToString().c_str());

  const ClientSession session(engine);
  const Tensor rows = Tensor::Of<float>({2, 2}, {1, 2, 3, 4});
  const std::vector<Tensor> values = session.Run({{x, rows}}, {y, slope});
  std::printf("%s\n%s\n", values[0].ToString().c_str(), values[1].ToString().c_str());
  return values[0].data<float>()[1] == 43.5f && values[1].data<float>()[3] == 10.0f ? 0 : 1;
}
