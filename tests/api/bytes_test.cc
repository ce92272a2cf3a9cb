// Tests what crosses the public headers as bytes: settings of sessions, and graphs.
#include <gmock/gmock.h>

#include "weir/weir.h"

namespace weir {
namespace {

using testing::HasSubstr;

TEST(SessionSettings, OtherSettingsAreBytes) {
  Engine engine;
  const std::string soft_placement = {'\x38', '\x01'};  // field 7 of ConfigProto, allow_soft_placement: true
  const Output y = [&] {
    DeviceScope device(engine.graph(), "/gpu:0");
    return Constant(engine.graph(), Tensor::Scalar(3.0f)) + 1.0f;
  }();
  EXPECT_THROW(ClientSession(engine).Run(y), Error);
  EXPECT_FLOAT_EQ(ClientSession(engine, SessionConfig{.serialized = soft_placement}).Run(y).scalar<float>(), 4);
}

TEST(SessionSettings, BytesThatAreNoSettingsAreAnError) {
  Engine engine;
  try {
    ClientSession session(engine, SessionConfig{.serialized = "\xff"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(error.what(), HasSubstr("ConfigProto"));
  }
}

TEST(GraphBytes, AGraphIsReadBack) {
  Engine engine;
  const Output x = Placeholder(engine.graph(), kFloat, {.name = "x"});
  Square(x, {.name = "y"});
  const std::string bytes = SerializeGraph(engine.graph());
  const std::shared_ptr<Graph> other = engine.NewGraph();
  const ImportResult imported = ImportSerializedGraph(*other, bytes, {.return_elements = {"x:0", "y:0"}});
  const ClientSession session(engine, other);
  EXPECT_FLOAT_EQ(session
                      .Run({{imported.returned[0].node->output(0), Tensor::Scalar(3.0f)}},
                           {imported.returned[1].node->output(0)})[0]
                      .scalar<float>(),
                  9);
}

TEST(GraphBytes, BytesThatAreNoGraphAreDataLoss) {
  Engine engine;
  try {
    ImportSerializedGraph(engine.graph(), "\xff");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), StatusCode::kDataLoss);
  }
}

}  // namespace
}  // namespace weir
