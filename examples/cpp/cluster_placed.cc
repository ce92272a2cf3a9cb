// Places ops on a given device: cluster_placed [/gpu:0 [soft]]. If the device does not exist, the error lists the
// existing devices.
#include <weir/weir.h>

#include <cstdio>

using namespace weir;

int main(int argc, char** argv) {
  Engine engine;
  Graph& g = engine.graph();
  DeviceScope task(g, "/job:local/task:0");
  const auto greeting = [&] {
    DeviceScope device(g, "/cpu:0");
    return Constant(g, Tensor::Scalar("Hello, distributed TensorFlow!"));
  }();
  const Var table = [&] {
    DeviceScope device(g, argc > 1 ? argv[1] : "/cpu:0");
    return Var(g, RandomNormal(g, {2, 2}), {.name = "table"});
  }();

  auto server = engine.StartLocalServer();
  ClientSession session(engine, server->target(), {.allow_soft_placement = argc > 2});
  try {
    session.Run(engine.InitializeVariables());
    std::puts(session.Run(greeting).scalar<std::string>().c_str());
    const Tensor values = session.Run(table);
    for (int row = 0; row < 2; ++row)
      std::printf("%9.5f %9.5f\n", values.data<float>()[2 * row], values.data<float>()[2 * row + 1]);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
