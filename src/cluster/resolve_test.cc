#include "cluster/resolve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> HostsOf(const std::string& name) {
  const Result<std::vector<SocketAddress>> addresses = Resolve(name, 2222);
  std::vector<std::string> hosts;
  if (!addresses.ok()) return {std::string(addresses.status().message())};
  for (const SocketAddress& address : *addresses) {
    EXPECT_EQ(address.port(), 2222);
    hosts.push_back(address.Host());
  }
  return hosts;
}

TEST(Resolve, KnowsTheNamesOfTheLoopbackInterface) {
  for (const char* name : {"localhost", "LOCALHOST", "localhost.", "a.localhost", "b.a.localhost."}) {
    EXPECT_TRUE(IsLoopbackName(name)) << name;
    EXPECT_THAT(HostsOf(name), ElementsAre("127.0.0.1", "::1")) << name;
  }
  for (const char* name : {"ip6-localhost", "ip6-loopback", "IP6-localhost."}) {
    EXPECT_TRUE(IsLoopbackName(name)) << name;
    EXPECT_THAT(HostsOf(name), ElementsAre("::1")) << name;
  }
  for (const char* name : {"", ".", "localhost2", "notlocalhost", "localhost.example", "127.0.0.1"})
    EXPECT_FALSE(IsLoopbackName(name)) << name;
}

TEST(Resolve, AcceptsNumericAddresses) {
  EXPECT_THAT(HostsOf("127.0.0.1"), ElementsAre("127.0.0.1"));
  EXPECT_THAT(HostsOf("::1"), ElementsAre("::1"));
}

TEST(Resolve, ErrorNamesTheUnknownHost) {
  EXPECT_THAT(HostsOf("no.such.host.invalid"), ElementsAre(HasSubstr("'no.such.host.invalid': ")));
}

}  // namespace
}  // namespace weir
