#include "base/shutdown_signals.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <optional>

namespace weir {
namespace {

TEST(ShutdownSignalsTest, SignalsAreRecordedWithoutEndingTheProcess) {
  for (const int number : {SIGTERM, SIGINT}) {
    const ShutdownSignals signals;
    EXPECT_FALSE(signals.received());
    raise(number);
    EXPECT_TRUE(signals.received());
  }
}

TEST(ShutdownSignalsTest, EachInstanceSeesSignalsSinceItsConstruction) {
  std::optional<ShutdownSignals> first(std::in_place);
  raise(SIGTERM);
  const ShutdownSignals second;
  EXPECT_TRUE(first->received());
  EXPECT_FALSE(second.received());
  first.reset();  // `second` keeps the handlers installed
  raise(SIGINT);
  EXPECT_TRUE(second.received());
}

volatile sig_atomic_t g_former = 0;

TEST(ShutdownSignalsTest, RestoresThePreviousHandlers) {
  struct sigaction former = {};
  struct sigaction before = {};
  former.sa_handler = [](int) { g_former = 1; };
  sigaction(SIGTERM, &former, &before);
  {
    const ShutdownSignals signals;
    raise(SIGTERM);
    EXPECT_EQ(g_former, 0);
  }
  raise(SIGTERM);
  EXPECT_EQ(g_former, 1);
  sigaction(SIGTERM, &before, nullptr);
}

TEST(EndSignalsDeathTest, SignalAfterDestructionEndsTheProcess) {
  EXPECT_EXIT(
      {
        { const ShutdownSignals signals; }
        raise(SIGTERM);
      },
      testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace weir
