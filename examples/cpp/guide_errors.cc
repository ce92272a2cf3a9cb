// Shows the three places where an error can come up: building, running, and the calls that return a Status.
#include <weir/weir.h>

#include <cstdio>

using namespace weir;

int main() {
  Engine engine;
  Graph& g = engine.graph();
  const Output x = Placeholder(g, kFloat, {.shape = {2, 3}, .name = "x"});
  const ClientSession session(engine);
  int errors = 0;

  // The graph keeps the first error of building, and outputs made from a failed one fail as well.
  const Output product = Relu(MatMul(x, x));
  try {
    session.Run(product);
  } catch (const Error& error) {
    std::printf("building: %s\n", error.what());
    errors += error.code() == StatusCode::kInvalidArgument;
  }

  // An error of a step names the node.
  try {
    session.Run(x + 1.0f);  // x is not fed
  } catch (const Error& error) {
    std::printf("running '%s': %s\n", error.node().c_str(), error.what());
    errors += error.code() == StatusCode::kInvalidArgument;
  }

  // Functions that return a Result leave the decision to the caller.
  const Result<Output> found = g.FindOutput("nothing:0");
  if (!found.ok()) std::printf("looking: %s\n", std::string(found.status().message()).c_str());
  errors += !found.ok();
  return errors == 3 ? 0 : 1;
}
