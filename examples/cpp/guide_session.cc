// Runs steps with feeds, fetches and targets, and compiles one of them ahead of time.
#include <weir/weir.h>

#include <cstdio>

using namespace weir;

int main() {
  Engine engine;
  Graph& g = engine.graph();
  const Output x = Placeholder(g, kFloat, {.shape = PartialShape::Scalar(), .name = "x"});
  const Var total(g, 0.0f, {.name = "total"});
  const Output add = AssignAdd(total->handle(), x);

  const ClientSession session(engine, {.intra_op_parallelism_threads = 1});
  session.Run(engine.InitializeVariables());
  session.Run({{x, Tensor::Scalar(2.0f)}}, {}, {add});      // a target has no value
  std::printf("%g\n", session.Run(total).scalar<float>());  // a fetch has one

  // Callables skip the lookup of the feeds and fetches. The Session interface returns errors instead of throwing.
  const auto step = ValueOrThrow(session.session().MakeCallable({x}, {add}, {}));
  float last = 0;
  for (int i = 0; i < 3; ++i) last = ValueOrThrow(step->Call({Tensor::Scalar(1.0f)}))[0].scalar<float>();
  std::printf("%g\n", last);
  return last == 5.0f ? 0 : 1;
}
