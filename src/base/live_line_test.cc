#include "base/live_line.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/manual_clock.h"

namespace weir {
namespace {

class LiveLineTest : public testing::Test {
 protected:
  void SetUp() override {
    struct winsize size = {};
    size.ws_row = 24;
    size.ws_col = 20;
    ASSERT_EQ(openpty(&reader_, &terminal_, nullptr, nullptr, &size), 0);
  }
  void TearDown() override {
    close(reader_);
    close(terminal_);
  }
  // What was written to the terminal since the last call. The kernel delivers it asynchronously and in pieces, so
  // read up to a mark that is written behind it.
  std::string Written() {
    constexpr char kMark = '\x1f';
    EXPECT_EQ(write(terminal_, &kMark, 1), 1);
    std::string text;
    while (text.empty() || text.back() != kMark) {
      struct pollfd readable = {.fd = reader_, .events = POLLIN, .revents = 0};
      char buffer[4096];
      const ssize_t count = poll(&readable, 1, /*timeout=*/10'000) == 1 ? read(reader_, buffer, sizeof(buffer)) : -1;
      if (count <= 0) {
        ADD_FAILURE() << "the terminal delivered only '" << text << "'";
        return text;
      }
      text.append(buffer, static_cast<size_t>(count));
    }
    text.pop_back();
    return text;
  }
  int reader_ = -1;
  int terminal_ = -1;
  ManualClock clock_;
};

TEST_F(LiveLineTest, IsRewrittenTenTimesASecond) {
  LiveLine line(terminal_, LiveLine::Kind::kTerminal, clock_);
  line.Set("nobody has begun");
  EXPECT_EQ(Written(), "");
  ASSERT_TRUE(line.Begin());
  EXPECT_FALSE(line.Begin());
  line.Set("step 1");
  EXPECT_EQ(Written(), "\rstep 1\x1b[K\r");
  line.Set("step 2");
  EXPECT_EQ(Written(), "");
  clock_.nanos += kLiveLineNanos;
  line.Set("step 3");
  EXPECT_EQ(Written(), "\rstep 3\x1b[K\r");
  line.Set("step 4");
  line.End();
  EXPECT_EQ(Written(), "\rstep 4\x1b[K\r\r\n");  // the terminal translates \n to \r\n
  line.End();
  EXPECT_EQ(Written(), "");
  EXPECT_TRUE(line.Begin());
}

TEST_F(LiveLineTest, FitsTheTerminal) {
  LiveLine line(terminal_, LiveLine::Kind::kTerminal, clock_);
  ASSERT_TRUE(line.Begin());
  line.Set("0123456789\n\x1b[2J0123456789");
  EXPECT_EQ(Written(), "\r0123456789  [2J0123\x1b[K\r");
  EXPECT_EQ(FitColumns("\xc3\xa4\xc3\xb6\xc3\xbc", 2), "\xc3\xa4\xc3\xb6");
  EXPECT_EQ(FitColumns("x", 0), "");
}

TEST_F(LiveLineTest, OtherOutputAppearsAbove) {
  LiveLine line(terminal_, LiveLine::Kind::kTerminal, clock_);
  line.Hide();
  line.Show();
  EXPECT_EQ(Written(), "");
  ASSERT_TRUE(line.Begin());
  line.Set("step 1");
  Written();
  line.Hide();
  EXPECT_EQ(Written(), "\r\x1b[K");
  clock_.nanos += kLiveLineNanos;
  line.Set("step 2");
  EXPECT_EQ(Written(), "");
  line.Show(/*at_line_start=*/false);
  EXPECT_EQ(Written(), "") << "an incomplete line of other output stays";
  line.Hide();
  line.Show();
  EXPECT_EQ(Written(), "\rstep 2\x1b[K\r");
}

TEST(LiveLineReportsTest, UpdatesAreWrittenAsLines) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  {
    ManualClock clock;
    LiveLine line(ends[1], LiveLine::Kind::kReports, clock);
    ASSERT_TRUE(line.Begin());
    line.Hide();
    line.Set("step 1");
    line.Show();
    line.Set("step 2");
    line.End();
  }
  char buffer[100];
  const ssize_t count = read(ends[0], buffer, sizeof(buffer));
  EXPECT_EQ(std::string(buffer, static_cast<size_t>(count)), "step 1\nstep 2\n\n");
  close(ends[0]);
  close(ends[1]);
}

TEST(LiveLineOfTest, ProcessWithoutATerminalHasNone) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_FALSE(IsFullTerminal(ends[1]));
  ManualClock clock;
  LiveLine none(ends[1], LiveLine::Kind::kNone, clock);
  EXPECT_FALSE(none.Begin());
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace weir
