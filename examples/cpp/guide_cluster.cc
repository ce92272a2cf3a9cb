// A parameter server and a worker in one process. Another process would connect to the same addresses.
#include <weir/weir.h>

#include <cstdio>

using namespace weir;

int main() {
  Engine engine;
  // Programs of several hosts know the addresses of their tasks. This one asks for two free ports.
  const auto free_address = [&engine] { return engine.StartLocalServer()->target().substr(7); };
  const ClusterSpec cluster = Cluster({{"ps", {free_address()}}, {"worker", {free_address()}}});
  const std::unique_ptr<Server> ps = engine.StartServer(cluster, "ps", 0);
  const std::unique_ptr<Server> worker = engine.StartServer(cluster, "worker", 0);

  Graph& g = engine.graph();
  const DeviceScope device(g, ValueOrThrow(ReplicaDeviceSetter({.worker_device = "/job:worker", .cluster = cluster})));
  const Var v(g, 1.0f, {.name = "v"});  // on the parameter server
  const Output y = v * 2.0f;            // on the worker
  std::printf("v on '%s', y on '%s'\n", v->handle().node->device().c_str(), y.node->device().c_str());

  const ClientSession session(engine, worker->target(), {.operation_timeout_in_ms = 60000});
  session.Run(engine.InitializeVariables());
  const float value = session.Run(y).scalar<float>();
  std::printf("%g\n", value);
  return value == 2.0f ? 0 : 1;
}
