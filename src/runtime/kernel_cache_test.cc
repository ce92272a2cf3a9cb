#include "runtime/kernel_cache.h"

#include <gmock/gmock.h>

#include "base/rng.h"
#include "graph/node_builder.h"
#include "runtime/local_devices.h"

namespace weir {
namespace {

using ::testing::HasSubstr;

TEST(KernelCacheTest, ErrorsOfAFactoryNameTheNodeAndKeepTheirKind) {
  OpRegistry registry;
  registry.Add({.name = "Refuse", .signature = "->", .kernels = CpuKernel([](KernelSetup&) -> Result<Kernel> {
                                                       return MarkTypeError(InvalidArgument("of no use"));
                                                     })});
  Graph graph(registry);
  const Result<Node*> node = NodeBuilder(graph, "Refuse", "a").Build();
  ASSERT_TRUE(node.ok()) << node.status();
  const std::vector<std::unique_ptr<Device>> devices = MakeLocalDevices({}, "/job:a/replica:0/task:0", RealRng());
  KernelCache kernels(RealEnv(), nullptr, nullptr);
  const Status status = kernels.Get((*node)->props(), *devices[0]).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("of no use\n\t [[node 'a' (Refuse)]]"));
  EXPECT_EQ(NodeOf(status), "a");
  EXPECT_TRUE(IsTypeError(status));
}

}  // namespace
}  // namespace weir
