// A parameter server and two workers in one process. Both sessions read values on the parameter server.
// Usage: cluster_two_workers [FIRST_PORT]. Uses three consecutive ports.
#include <weir/weir.h>

#include <cstdio>
#include <cstdlib>

using namespace weir;

int main(int argc, char** argv) {
  const int port = argc > 1 ? std::atoi(argv[1]) : 2222;
  const auto address = [port](int k) { return "localhost:" + std::to_string(port + k); };
  const ClusterSpec cluster = Cluster({{"ps", {address(0)}}, {"worker", {address(1), address(2)}}});
  Engine engine;
  auto ps = engine.StartServer(cluster, "ps", 0);
  auto worker0 = engine.StartServer(cluster, "worker", 0);
  auto worker1 = engine.StartServer(cluster, "worker", 1);

  Graph& g = engine.graph();
  Output a, b;
  {
    DeviceScope device(g, "/job:ps/task:0");
    a = Constant(g, Tensor::Scalar(3.0f));
    b = Constant(g, Tensor::Scalar(4.0f));
  }
  ClientSession first(engine, worker0->target());
  std::printf("%.1f\n", first.Run(a * b).scalar<float>());
  ClientSession second(engine, worker1->target());
  std::printf("%.1f\n", second.Run(b * 10.0f).scalar<float>());
}
