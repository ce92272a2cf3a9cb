#include "io/temporary_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utime.h>

#include <csignal>
#include <cstdlib>
#include <memory>

#include "io/bundle_writer.h"
#include "tensor/tensor.h"

namespace weir::io {
namespace {

class TemporaryFilesTest : public testing::Test {
 protected:
  TemporaryFilesTest() {
    std::string pattern = testing::TempDir() + "/temporary_files_XXXXXX";
    directory_ = mkdtemp(pattern.data());
  }
  ~TemporaryFilesTest() override { std::system(("rm -rf '" + directory_ + "'").c_str()); }

  std::string Path(const std::string& name) const { return directory_ + "/" + name; }
  std::vector<std::string> Files() const { return RealEnv().List(directory_).value(); }
  void Touch(const std::string& name, int64_t seconds_ago = 0) const {
    EXPECT_TRUE(RealEnv().WriteFile(Path(name), "x").ok());
    const utimbuf times{time(nullptr) - seconds_ago, time(nullptr) - seconds_ago};
    utime(Path(name).c_str(), &times);
  }
  // Starts a process that is killed while it writes a checkpoint.
  void KillWhileSaving(const std::string& name) const {
    const pid_t child = fork();
    if (child == 0) {
      auto writer = BundleWriter::Open(RealEnv(), Path(name));
      if (writer.ok()) (*writer)->Add("x", Tensor::Scalar(1.0f)).IgnoreError();
      raise(SIGKILL);
    }
    int status = 0;
    waitpid(child, &status, 0);
  }

  std::string directory_;
};

TEST_F(TemporaryFilesTest, NextSaveRemovesFilesOfAKilledWriter) {
  for (int step = 0; step < 5; ++step) KillWhileSaving("model.ckpt-" + std::to_string(step));
  EXPECT_EQ(Files().size(), 1u);  // each save removed the files of the one before it
  auto writer = BundleWriter::Open(RealEnv(), Path("model.ckpt-9"));
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE((*writer)->Add("x", Tensor::Scalar(1.0f)).ok());
  ASSERT_TRUE((*writer)->Finish().ok());
  EXPECT_EQ(Files(), (std::vector<std::string>{"model.ckpt-9.data-00000-of-00001", "model.ckpt-9.index"}));
}

TEST_F(TemporaryFilesTest, FilesOfActiveWritersAreKept) {
  std::vector<std::unique_ptr<BundleWriter>> writers;
  for (const char* name : {"model.ckpt-1", "model.ckpt-2", "model.ckpt", "model.ckpt-2"})
    writers.push_back(BundleWriter::Open(RealEnv(), Path(name)).value());
  for (const auto& writer : writers) ASSERT_TRUE(writer->Add("x", Tensor::Scalar(1.0f)).ok());
  for (const auto& writer : writers) EXPECT_TRUE(writer->Finish().ok());
  EXPECT_EQ(Files().size(), 6u);
}

TEST_F(TemporaryFilesTest, FilesOfOtherHostsAreRemovedWhenOld) {
  Touch("model.ckpt-1.index.tempstate123", 60);
  Touch("model.ckpt-2.index.tempstate123", 7200);
  Touch("model.ckpt-2.meta.tmp", 60);
  Touch("model.ckpt-3.meta.tmp", 7200);
  RemoveStaleTemporaries(RealEnv(), Path("model.ckpt-7"));
  EXPECT_EQ(Files(), (std::vector<std::string>{"model.ckpt-1.index.tempstate123", "model.ckpt-2.meta.tmp"}));
}

TEST_F(TemporaryFilesTest, OtherNamesStay) {
  const std::string suffix = TemporarySuffix();
  Touch("other.index" + suffix);
  Touch("model.ckpt2.index" + suffix);
  Touch("model.ckpt-1.index");
  Touch("model.ckpt-1.index" + suffix);
  RemoveStaleTemporaries(RealEnv(), Path("model.ckpt-7"));
  EXPECT_EQ(Files(),
            (std::vector<std::string>{"model.ckpt-1.index", "model.ckpt2.index" + suffix, "other.index" + suffix}));
}

TEST_F(TemporaryFilesTest, ShardsOfAKilledSaveAreCleanedUp) {
  ASSERT_TRUE(RealEnv().MakeDirectories(Path("model.ckpt-1_temp")).ok());
  KillWhileSaving("model.ckpt-1_temp/part-00000-of-00002");
  EXPECT_EQ(RealEnv().List(Path("model.ckpt-1_temp"))->size(), 1u);
  RemoveStaleTemporaries(RealEnv(), Path("model.ckpt-2"));
  EXPECT_EQ(RealEnv().List(Path("model.ckpt-1_temp"))->size(), 0u);
}

TEST_F(TemporaryFilesTest, UnmergedShardsAreRemovedWhenOld) {
  ASSERT_TRUE(RealEnv().MakeDirectories(Path("model.ckpt-1_temp")).ok());
  Touch("model.ckpt-1_temp/part-00000-of-00002.index", 7200);
  Touch("model.ckpt-1_temp/part-00001-of-00002.index", 60);
  RemoveStaleTemporaries(RealEnv(), Path("model.ckpt-2"));
  EXPECT_EQ(RealEnv().List(Path("model.ckpt-1_temp")).value(), (std::vector<std::string>{"part-00001-of-00002.index"}));
}

}  // namespace
}  // namespace weir::io
