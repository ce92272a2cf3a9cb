// Tests servers and sessions on them with the public headers only.
#include <gmock/gmock.h>

#include "weir/weir.h"

namespace weir {
namespace {

using testing::HasSubstr;

std::string Thrown(const std::function<void()>& what) {
  try {
    what();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(PublicCluster, VariablesAreSharedThroughTheirServer) {
  Engine engine;
  Graph& g = engine.graph();
  const auto server = engine.StartLocalServer();
  Var v(g, 1.0f, {.name = "v"});
  const Output more = AssignAdd(v->handle(), 2.0f);
  {
    ClientSession session(engine, server->target());
    session.Run(engine.InitializeVariables());
    EXPECT_FLOAT_EQ(session.Run(more).scalar<float>(), 3);
  }
  Engine elsewhere;  // knows only the address of the server
  Var same(elsewhere.graph(), 0.0f, {.name = "v"});
  EXPECT_FLOAT_EQ(ClientSession(elsewhere, server->target()).Run(same).scalar<float>(), 3);
}

TEST(PublicCluster, DevicesOfMissingKindsAreErrorsOrSoft) {
  Engine engine;
  Graph& g = engine.graph();
  const auto server = engine.StartLocalServer();
  const Var v = [&] {
    DeviceScope device(g, "/gpu:0");
    return Var(g, RandomNormal(g, {2}), {.name = "v"});
  }();
  Op initialize = engine.InitializeVariables();
  EXPECT_THAT(Thrown([&] { ClientSession(engine, server->target()).Run(initialize); }), HasSubstr("/device:GPU:0"));
  ClientSession session(engine, server->target(), {.allow_soft_placement = true});
  session.Run(initialize);
  EXPECT_EQ(session.Run(v).num_elements(), 2);  // another signature, the same placement
  EXPECT_EQ(session.Run(v + 1.0f).num_elements(), 2);
}

TEST(PublicCluster, FetchesKeepTheirOrder) {
  Engine engine;
  const auto server = engine.StartLocalServer();
  const Output x = Placeholder(engine.graph(), kFloat, {.name = "x"});
  const Output a = x + 1.0f;
  const Output b = x * 10.0f;
  ClientSession session(engine, server->target());
  const std::vector<Tensor> values = session.Run({{x, Tensor::Scalar(2.0f)}}, {b, a, x, b});
  ASSERT_EQ(values.size(), 4);
  const std::vector<float> expected = {20, 3, 2, 20};
  for (size_t k = 0; k < expected.size(); ++k) EXPECT_FLOAT_EQ(values[k].scalar<float>(), expected[k]);
}

TEST(PublicCluster, NodesThatUseAVariableAreColocatedWithIt) {
  Engine engine;
  Graph& g = engine.graph();
  const auto server =
      engine.StartServer(Cluster({{"local", {"localhost:0"}}}), "local", 0, {.device_count = {{"CPU", 2}}});
  const Var v = [&] {
    DeviceScope device(g, "/cpu:1");
    return Var(g, 1.0f, {.name = "v", .use_resource = true});
  }();
  DeviceScope device(g, "/cpu:0");
  const Output read = v + 1.0f;            // an implicit read
  const Output written = v->Assign(5.0f);  // requests another device than that of the variable
  ClientSession session(engine, server->target());
  session.Run(engine.InitializeVariables());
  EXPECT_FLOAT_EQ(session.Run(read).scalar<float>(), 2);
  EXPECT_FLOAT_EQ(session.Run(written).scalar<float>(), 5);
}

TEST(PublicCluster, ErrorsAreThrown) {
  Engine engine;
  EXPECT_THAT(Thrown([] { Cluster({{"ps", {"nowhere"}}}); }), HasSubstr("nowhere"));
  EXPECT_THAT(Thrown([] { Cluster({{"1ps", {"localhost:1"}}}); }), HasSubstr("1ps"));
  EXPECT_THAT(Thrown([&] {
                engine.StartServer(Cluster({{"ps", {"localhost:0"}}}), "worker", 0);
              }),
              HasSubstr("worker"));
  EXPECT_THAT(Thrown([&] { ClientSession(engine, "http://localhost:1"); }), HasSubstr("http://localhost:1"));
  const auto server = engine.StartLocalServer();
  const std::string address = server->target().substr(std::string("grpc://").size());
  EXPECT_THAT(Thrown([&] { engine.StartServer(Cluster({{"ps", {address}}}), "ps", 0); }), HasSubstr("in use"));
  server->Stop();
  EXPECT_EQ(engine.StartServer(Cluster({{"ps", {address}}}), "ps", 0)->target(), server->target());
}

}  // namespace
}  // namespace weir
