// Reads batches from a dataset until it ends.
#include <weir/weir.h>

#include <cstdio>

using namespace weir;

int main() {
  Engine engine;
  Graph& g = engine.graph();
  const Dataset numbers = Dataset::Range(g, int64_t{0}, int64_t{10}, int64_t{1});
  const DatasetFunction square = ValueOrThrow(
      TraceDatasetFunction(g, numbers.element(), [](Graph&, const OutputList& x) { return OutputList{x[0] * x[0]}; }));
  const Dataset batches = numbers.Map(square).Shuffle(int64_t{10}, 7).Batch(int64_t{4}).Prefetch(int64_t{1});
  const Output batch = ValueOrThrow(DatasetIterator::OneShot(batches)).GetNext()[0];

  const ClientSession session(engine);
  int64_t sum = 0;
  try {
    while (true) {
      const Tensor values = session.Run(batch);
      std::printf("%s\n", values.ToString().c_str());
      for (const int64_t value : values.flat<int64_t>()) sum += value;
    }
  } catch (const Error& end) {
    if (end.code() != StatusCode::kOutOfRange) throw;
  }
  return sum == 285 ? 0 : 1;
}
