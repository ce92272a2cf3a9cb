// Recognizes digits in pictures, and prints each digit with its probability:
//   digits_predict GRAPH PICTURE...
// GRAPH is the file digits.pb that train.cc (or train.py) writes. Pictures are PNG, JPEG, GIF or BMP files of any size,
// with one bright digit on a dark background.
#include <cstdio>

#include "network.h"

using namespace weir;

namespace {

// Adds the trained network to the graph. Returns the node with the probabilities of the digits.
Node* Network(Graph& g, const std::string& trained_path, Output images) {
  const std::string trained = ValueOrThrow(RealEnv().ReadFile(trained_path));
  try {
    return ImportSerializedGraph(
               g, trained,
               {.prefix = "network", .input_map = {{"images:0", images}}, .return_elements = {"probabilities"}})
        .returned[0]
        .node;
  } catch (const Error& error) {
    throw Error(error.code(), "'" + trained_path + "' is not a trained graph: " + error.what());
  }
}

void Predict(const std::string& trained_path, const std::vector<std::string>& pictures) {
  Engine engine;
  Graph& g = engine.graph();
  const Output path = Placeholder(g, kString, {.shape = PartialShape::Scalar()});
  const Output picture = ValueOrThrow(DecodeAnyImage(g, ReadFile(path), {.channels = 1, .expand_animations = false}));
  const Output image = ResizeImages(g, picture, {digits::kSide, digits::kSide}) / 255.0f;
  Node* probabilities = Network(g, trained_path, ExpandDims(image, 0));
  const auto best = TopKV2(Squeeze(probabilities, {.squeeze_dims = {0}}), 1);

  const ClientSession session(engine);
  for (const std::string& name : pictures) {
    const auto values = session.Run({{path, Tensor::Scalar(name)}}, {best.indices, best.values});
    std::printf("%s: %d  (%.3f)\n", name.c_str(), values[0].data<int32_t>()[0], values[1].data<float>()[0]);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s GRAPH PICTURE...\n", argv[0]);
    return 2;
  }
  try {
    Predict(argv[1], {argv + 2, argv + argc});
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
