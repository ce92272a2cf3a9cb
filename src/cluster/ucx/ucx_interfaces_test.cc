#include "cluster/ucx/ucx_interfaces.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>

namespace weir {
namespace {

TEST(UcxInterfaces, ListensAtTheAddressOfTheServer) {
  const Result<SocketAddress> name = UcxListenAddress("127.0.0.1");
  ASSERT_TRUE(name.ok()) << name.status();
  ASSERT_EQ(name->get()->sa_family, AF_INET);
  const auto* ip = reinterpret_cast<const sockaddr_in*>(name->get());
  EXPECT_EQ(ip->sin_addr.s_addr, htonl(INADDR_LOOPBACK));
  EXPECT_EQ(ip->sin_port, 0);
  for (const char* ipv6 : {"::1", "::"})
    EXPECT_EQ(UcxListenAddress(ipv6).status().code(), StatusCode::kFailedPrecondition) << ipv6;
  EXPECT_EQ(UcxListenAddress("no.such.host.invalid").status().code(), StatusCode::kFailedPrecondition);
}

TEST(UcxInterfaces, UsesTheDevicesOfTheServersOnly) {
  EXPECT_THAT(UcxDevicesFor({"127.0.0.1"}).value(), testing::MatchesRegex("(.*,)?lo(,.*)?"));
  EXPECT_THAT(UcxDevicesFor({"127.0.0.1"}).value(), testing::Not(testing::HasSubstr("eth")));
  EXPECT_EQ(UcxDevicesFor({}).value(), "");
  EXPECT_EQ(UcxDevicesFor({"127.0.0.1", "0.0.0.0"}).value(), "");
  EXPECT_EQ(UcxDevicesFor({"::"}).value(), "");
  EXPECT_EQ(UcxDevicesFor({"192.0.2.77"}).value(), "lo");  // not an address of this host
}

TEST(UcxInterfaces, UsesNoDevicesIfTheyCannotBeListed) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const Result<std::string> devices = UcxDevicesFor({"127.0.0.1"});
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(devices.status().code(), StatusCode::kFailedPrecondition) << devices.status();
}

}  // namespace
}  // namespace weir
