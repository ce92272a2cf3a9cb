// A session on a server of this process: the same program could name any server's address.
#include <weir/weir.h>

#include <cstdio>

int main() {
  weir::Engine engine;
  auto c = Constant(engine.graph(), weir::Tensor::Scalar("Hello, distributed TensorFlow!"));
  auto server = engine.StartLocalServer();
  weir::ClientSession session(engine, server->target());
  std::puts(session.Run(c).scalar<std::string>().c_str());
}
