#include "cluster/ucx/ucx_interfaces.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

namespace weir {
namespace {

TEST(UcxInterfaces, ListensAtTheAddressOfTheServer) {
  const Result<SocketAddress> name = UcxListenName("127.0.0.1");
  ASSERT_TRUE(name.ok()) << name.status();
  ASSERT_EQ(name->get()->sa_family, AF_INET);
  const auto* ip = reinterpret_cast<const sockaddr_in*>(name->get());
  EXPECT_EQ(ip->sin_addr.s_addr, htonl(INADDR_LOOPBACK));
  EXPECT_EQ(ip->sin_port, 0);
  EXPECT_EQ(UcxListenName("no.such.host.invalid").status().code(), StatusCode::kFailedPrecondition);
}

TEST(UcxInterfaces, UsesTheDevicesOfTheServersOnly) {
  EXPECT_THAT(UcxDevicesFor({"127.0.0.1"}), testing::MatchesRegex("(.*,)?lo(,.*)?"));
  EXPECT_THAT(UcxDevicesFor({"127.0.0.1"}), testing::Not(testing::HasSubstr("eth")));
  EXPECT_EQ(UcxDevicesFor({}), "");
  EXPECT_EQ(UcxDevicesFor({"127.0.0.1", "0.0.0.0"}), "");
  EXPECT_EQ(UcxDevicesFor({"::"}), "");
  EXPECT_EQ(UcxDevicesFor({"192.0.2.77"}), "lo");  // not an address of this host
}

}  // namespace
}  // namespace weir
