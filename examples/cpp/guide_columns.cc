// Trains a linear model of two features, one of them a string.
#include <weir/weir.h>

#include <cstdio>

using namespace weir;

int main() {
  Engine engine;
  Graph& g = engine.graph();
  const FeatureColumn age = BucketizedColumn(NumericColumn("age"), {30, 50});
  const FeatureColumn job = HashBucketColumn("job", 100);
  const FeatureColumns columns = {age, job, CrossedColumn({age, std::string("job")}, 100)};
  const Tensor ages = Tensor::Vector<float>({25, 61, 40, 35}), hired = Tensor::Of<float>({4, 1}, {1, 0, 0, 1});
  const Tensor jobs = Tensor::Vector<std::string>({"clerk", "clerk", "smith", "clerk"});
  const Output y = ValueOrThrow(LinearModel(g, {{"age", Input(ages)}, {"job", Input(jobs)}}, columns)).value;
  const Output loss = ReduceMean(Square(y - Constant(g, hired)));
  const Op train = AdagradOptimizer(0.5).Minimize(loss);

  const ClientSession session(engine);
  session.Run(engine.InitializeVariables());
  for (int i = 0; i < 100; ++i) session.Run({}, {}, {train});
  const float rest = session.Run(loss).scalar<float>();
  std::printf("%f\n", rest);
  return rest < 0.001f ? 0 : 1;
}
