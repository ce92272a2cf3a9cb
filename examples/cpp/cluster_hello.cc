// Runs a session on a server in this process. The target could be the address of any server.
#include <weir/weir.h>

#include <cstdio>

int main() {
  weir::Engine engine;
  auto c = Constant(engine.graph(), weir::Tensor::Scalar("Hello, distributed TensorFlow!"));
  auto server = engine.StartLocalServer();
  weir::ClientSession session(engine, server->target());
  std::puts(session.Run(c).scalar<std::string>().c_str());
}
