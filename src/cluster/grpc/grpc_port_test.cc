// BindFreePort while other processes take the port between the check and the bind.
#include "cluster/grpc/grpc_port.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(BindFreePortTest, RetriesWithAnotherPort) {
  constexpr int kFaster = 3;
  std::vector<int> tried;
  Result<int> port = BindFreePort(Address{"127.0.0.1", 0, ""}, [&](const std::vector<std::string>& addresses, int p) {
    EXPECT_EQ(addresses, std::vector<std::string>{fmt::format("127.0.0.1:{}", p)});
    tried.push_back(p);
    return tried.size() > kFaster;
  });
  ASSERT_TRUE(port.ok()) << port.status();
  EXPECT_EQ(tried.size(), kFaster + 1);
  EXPECT_EQ(*port, tried.back());
}

TEST(BindFreePortTest, GivesUpEventually) {
  const Status status =
      BindFreePort(Address{"127.0.0.1", 0, ""}, [](const std::vector<std::string>&, int) { return false; }).status();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status;
}

TEST(BindFreePortTest, FixedPortIsTriedOnce) {
  Result<int> free =
      BindFreePort(Address{"127.0.0.1", 0, ""}, [](const std::vector<std::string>&, int) { return true; });
  ASSERT_TRUE(free.ok()) << free.status();
  int tries = 0;
  const Status status = BindFreePort(Address{"127.0.0.1", *free, ""}, [&](const std::vector<std::string>&, int port) {
                          EXPECT_EQ(port, *free);
                          ++tries;
                          return false;
                        }).status();
  EXPECT_EQ(tries, 1);
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_NE(status.message().find(std::to_string(*free)), absl::string_view::npos) << status;
}

}  // namespace
}  // namespace weir
