#include "base/this_process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/rng.h"

namespace weir {
namespace {

// Runs `body` in a forked child and returns its exit status.
template <class Body>
int InChild(Body body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(ThisProcessTest, ForkedProcessesSeeTheirOwnPid) {
  EXPECT_EQ(ThisProcess(), getpid());
  const int ended = InChild([] {
    if (ThisProcess() != getpid()) return 1;
    return InChild([] { return ThisProcess() == getpid() ? 0 : 2; });
  });
  EXPECT_EQ(ended, 0);
  EXPECT_EQ(ThisProcess(), getpid());
}

TEST(ThisProcessTest, ForkedProcessesHaveDifferentRandomNumbers) {
  RealRng().Next64();  // leaves unused numbers in the batch of this thread
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  const int ended = InChild([&] {
    const uint64_t theirs = RealRng().Next64();
    return write(pipes[1], &theirs, sizeof(theirs)) == sizeof(theirs) ? 0 : 1;
  });
  EXPECT_EQ(ended, 0);
  uint64_t theirs = 0;
  ASSERT_EQ(read(pipes[0], &theirs, sizeof(theirs)), static_cast<ssize_t>(sizeof(theirs)));
  EXPECT_NE(theirs, RealRng().Next64());
  close(pipes[0]);
  close(pipes[1]);
}

}  // namespace
}  // namespace weir
