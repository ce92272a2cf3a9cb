// The smallest program: fetches a constant.
#include <weir/weir.h>

#include <cstdio>

int main() {
  weir::Engine engine;
  auto c = Constant(engine.graph(), weir::Tensor::Scalar("Hello, distributed TensorFlow!"));
  weir::ClientSession session(engine);
  std::puts(session.Run(c).scalar<std::string>().c_str());
}
