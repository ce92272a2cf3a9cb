#include "base/env.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env_fake.h"

namespace weir {
namespace {

// Runs against RealEnv (in a fresh directory) and against FakeEnv.
class EnvTest : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (GetParam()) {
      std::string pattern = testing::TempDir() + "weir_env_XXXXXX";
      ASSERT_NE(mkdtemp(pattern.data()), nullptr);
      root_ = pattern;
    } else {
      root_ = "/root";
      ASSERT_TRUE(env().MakeDirectories(root_).ok());
    }
  }
  void TearDown() override { Clear(root_); }

  Env& env() { return GetParam() ? RealEnv() : fake_; }
  std::string Path(const std::string& name) { return JoinPath(root_, name); }
  void Clear(const std::string& directory) {
    const std::vector<std::string> names = env().List(directory).value();
    for (const std::string& name : names) {
      const std::string path = JoinPath(directory, name);
      if (env().Stat(path).value().is_directory) {
        Clear(path);
      } else {
        EXPECT_TRUE(env().DeleteFile(path).ok());
      }
    }
    EXPECT_TRUE(env().DeleteDirectory(directory).ok());
  }

  FakeEnv fake_;
  std::string root_;
};

TEST_P(EnvTest, WriteAppendRead) {
  EXPECT_TRUE(env().WriteFile(Path("a"), "one").ok());
  {
    auto file = env().OpenAppend(Path("a"));
    ASSERT_TRUE(file.ok());
    EXPECT_TRUE((*file)->Append(" two").ok());
    EXPECT_TRUE((*file)->Append(std::string(200'000, 'x')).ok());
    EXPECT_TRUE((*file)->Sync().ok());
    EXPECT_TRUE((*file)->Close().ok());
  }
  EXPECT_EQ(env().ReadFile(Path("a")).value(), "one two" + std::string(200'000, 'x'));
  EXPECT_EQ(env().Stat(Path("a")).value().size, 200'007u);
  auto file = env().OpenRead(Path("a"));
  ASSERT_TRUE(file.ok());
  char bytes[8];
  EXPECT_EQ((*file)->Read(4, 3, bytes).value(), 3u);
  EXPECT_EQ(std::string_view(bytes, 3), "two");
  EXPECT_EQ((*file)->Read(200'005, 8, bytes).value(), 2u);
  EXPECT_EQ((*file)->Read(1 << 30, 8, bytes).value(), 0u);
  EXPECT_TRUE(env().WriteFile(Path("a"), "").ok());
  EXPECT_EQ(env().ReadFile(Path("a")).value(), "");
}

TEST_P(EnvTest, RenameReplaces) {
  EXPECT_TRUE(env().WriteFile(Path("a"), "new").ok());
  EXPECT_TRUE(env().WriteFile(Path("b"), "old").ok());
  EXPECT_TRUE(env().Rename(Path("a"), Path("b")).ok());
  EXPECT_FALSE(env().Exists(Path("a")));
  EXPECT_EQ(env().ReadFile(Path("b")).value(), "new");
  EXPECT_TRUE(env().WriteFileAtomically(Path("b"), "newer").ok());
  EXPECT_EQ(env().ReadFile(Path("b")).value(), "newer");
  EXPECT_EQ(env().List(root_).value(), std::vector<std::string>{"b"});
}

TEST_P(EnvTest, ErrorsNameTheFile) {
  const auto expect = [&](const Status& status, StatusCode code) {
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_NE(status.message().find(Path("none")), absl::string_view::npos) << status;
  };
  expect(env().ReadFile(Path("none")).status(), StatusCode::kNotFound);
  expect(env().Stat(Path("none")).status(), StatusCode::kNotFound);
  expect(env().DeleteFile(Path("none")), StatusCode::kNotFound);
  expect(env().Rename(Path("none"), Path("b")), StatusCode::kNotFound);
  expect(env().List(Path("none")).status(), StatusCode::kNotFound);
  EXPECT_TRUE(env().MakeDirectories(Path("none/below")).ok());
  expect(env().DeleteDirectory(Path("none")), StatusCode::kFailedPrecondition);
}

TEST_P(EnvTest, DirectoriesAndPatterns) {
  EXPECT_TRUE(env().MakeDirectories(Path("d1/e/f")).ok());
  EXPECT_TRUE(env().MakeDirectories(Path("d1/e/f")).ok());
  EXPECT_TRUE(env().MakeDirectories(Path("d2")).ok());
  EXPECT_TRUE(env().Stat(Path("d1/e")).value().is_directory);
  for (const char* name : {"d1/x-1", "d1/x-2", "d2/x-1", "d2/y"}) EXPECT_TRUE(env().WriteFile(Path(name), "").ok());
  EXPECT_EQ(env().List(Path("d1")).value(), (std::vector<std::string>{"e", "x-1", "x-2"}));
  EXPECT_EQ(env().Match(Path("d1/x-*")).value(), (std::vector<std::string>{Path("d1/x-1"), Path("d1/x-2")}));
  EXPECT_EQ(env().Match(Path("d?/x-[1]")).value(), (std::vector<std::string>{Path("d1/x-1"), Path("d2/x-1")}));
  EXPECT_EQ(env().Match(Path("d2/y")).value(), (std::vector<std::string>{Path("d2/y")}));
  EXPECT_TRUE(env().Match(Path("none/*")).value().empty());
  EXPECT_TRUE(env().Match("").value().empty());
}

TEST_P(EnvTest, ReplacesFiles) {
  ASSERT_TRUE(env().MakeDirectories(Path("r")).ok());
  EXPECT_TRUE(env().ReplaceFile(Path("r/a"), "one").ok());
  EXPECT_TRUE(env().ReplaceFile(Path("r/a"), "two").ok());
  EXPECT_EQ(env().ReadFile(Path("r/a")).value(), "two");
  EXPECT_EQ(env().List(Path("r")).value(), (std::vector<std::string>{"a"}));
  EXPECT_TRUE(env().Stat(Path("r/a")).value().is_regular);
  EXPECT_FALSE(env().Stat(Path("r")).value().is_regular);
}

TEST_P(EnvTest, ALockedFileIsNotDeleted) {
  ASSERT_TRUE(env().MakeDirectories(Path("l")).ok());
  {
    const std::unique_ptr<FileLock> lock = env().Lock(Path("l/a"));
    ASSERT_NE(lock, nullptr);
    const std::unique_ptr<FileLock> other = env().Lock(Path("l/a"));  // locks are shared
    EXPECT_NE(other, nullptr);
    EXPECT_EQ(env().DeleteUnlocked(Path("l/a")).code(), StatusCode::kUnavailable);
    EXPECT_TRUE(env().Exists(Path("l/a")));
  }
  EXPECT_TRUE(env().DeleteUnlocked(Path("l/a")).ok());
  EXPECT_FALSE(env().Exists(Path("l/a")));
  EXPECT_EQ(env().DeleteUnlocked(Path("l/a")).code(), StatusCode::kNotFound);
}

INSTANTIATE_TEST_SUITE_P(Env, EnvTest, testing::Bool(), [](const auto& info) { return info.param ? "real" : "fake"; });

TEST(FakeEnvTest, FaultsLeaveTheOldFile) {
  FakeEnv env;
  EXPECT_TRUE(env.WriteFileAtomically("/a", "old").ok());
  for (const char* broken : {"open", "write", "sync", "close", "rename"}) {
    env.fault = [broken](std::string_view operation, const std::string& path) {
      return operation == broken ? DataLoss("cannot {} {}", operation, path) : OkStatus();
    };
    EXPECT_EQ(env.WriteFileAtomically("/a", "new").code(), StatusCode::kDataLoss) << broken;
    env.fault = nullptr;
    EXPECT_EQ(env.ReadFile("/a").value(), "old") << broken;
  }
}

TEST(FakeEnvTest, WritesToAFullDiskFail) {
  FakeEnv env;
  ASSERT_TRUE(env.WriteFile("/a", "12345").ok());
  env.capacity = 8;
  const Status status = env.WriteFile("/b", "12345");
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_TRUE(env.was_full);
  EXPECT_EQ(env.ReadFile("/b").value(), "123");
  env.LoseUnsynced();
  EXPECT_EQ(env.ReadFile("/a").value(), "");
}

TEST(FakeEnvTest, ACrashUndoesNamesThatWereNotSynced) {
  FakeEnv env;
  ASSERT_TRUE(env.WriteFileAtomically("/a", "old").ok());
  ASSERT_TRUE(env.WriteFileAtomically("/gone", "gone").ok());
  ASSERT_TRUE(env.MakeDirectories("/d").ok());
  const auto sync = [&](const std::string& path) {
    const auto file = env.OpenWrite(path).value();
    return file->Append("new").ok() && file->Sync().ok() && file->Close().ok();
  };
  ASSERT_TRUE(sync("/b"));
  ASSERT_TRUE(sync("/d/c"));
  ASSERT_TRUE(env.Rename("/b", "/a").ok());
  ASSERT_TRUE(env.DeleteFile("/gone").ok());
  ASSERT_TRUE(env.SyncDirectory("/d").ok());
  env.LoseUnsyncedNames();
  EXPECT_EQ(env.ReadFile("/a").value(), "old");
  EXPECT_EQ(env.ReadFile("/gone").value(), "gone");
  EXPECT_FALSE(env.Exists("/b"));
  EXPECT_EQ(env.ReadFile("/d/c").value(), "new");
}

TEST(FakeEnvTest, MatchReportsDiskFaults) {
  FakeEnv env;
  ASSERT_TRUE(env.WriteFile("/a", "").ok());
  env.fault = [](std::string_view operation, const std::string& path) {
    return DataLoss("cannot {} {}", operation, path);
  };
  EXPECT_EQ(env.Match("/a").status().code(), StatusCode::kDataLoss);
  EXPECT_EQ(env.Match("/*").status().code(), StatusCode::kDataLoss);
}

TEST(RealEnvTest, ReplacingKeepsPermissionsLinksAndPipes) {
  Env& env = RealEnv();
  const std::string folder = ::testing::TempDir() + "weir_replace";
  ASSERT_TRUE(env.MakeDirectories(folder).ok());
  const std::string file = folder + "/file";
  const std::string link = folder + "/link";
  ASSERT_TRUE(env.WriteFile(file, "old").ok());
  ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
  ASSERT_TRUE(env.ReplaceFile(file, "new").ok());
  struct stat info {};
  ASSERT_EQ(::stat(file.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  ::unlink(link.c_str());
  ASSERT_EQ(::symlink(file.c_str(), link.c_str()), 0);
  EXPECT_FALSE(env.Stat(link).value().is_regular);
  ASSERT_TRUE(env.ReplaceFile(link, "through the link").ok());
  EXPECT_FALSE(env.Stat(link).value().is_regular);
  EXPECT_EQ(env.ReadFile(file).value(), "through the link");
  const std::string pipe = folder + "/pipe";
  ::unlink(pipe.c_str());
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_FALSE(env.ReplaceFile(pipe, "x").ok());  // nobody reads it
  EXPECT_FALSE(env.Stat(pipe).value().is_regular);
  const std::string long_name = folder + "/" + std::string(250, 'n');
  EXPECT_TRUE(env.ReplaceFile(long_name, "x").ok());  // a temporary name would be too long
}

TEST(RealEnvTest, OpeningADirectoryIsAnError) {
  EXPECT_EQ(RealEnv().ReadFile("/").status().code(), StatusCode::kFailedPrecondition);
  EXPECT_FALSE(RealEnv().ReadFile("/proc/self/status").value().empty());
}

TEST(RealEnvTest, ReadsAndWritesFileUris) {
  Env& env = RealEnv();
  const std::string folder = ::testing::TempDir() + "weir_file_uri";
  for (const std::string prefix : {"file://", "file://localhost"}) {
    const std::string uri = prefix + folder;
    ASSERT_TRUE(env.MakeDirectories(uri).ok());
    ASSERT_TRUE(env.WriteFileAtomically(uri + "/a", "text").ok());
    EXPECT_EQ(*env.ReadFile(folder + "/a"), "text");
    EXPECT_EQ(*env.ReadFile(uri + "/a"), "text");
    EXPECT_THAT(*env.Match(uri + "/*"), ::testing::ElementsAre(uri + "/a"));
    EXPECT_THAT(*env.List(uri), ::testing::ElementsAre("a"));
    ASSERT_TRUE(env.DeleteFile(uri + "/a").ok());
    ASSERT_TRUE(env.DeleteDirectory(uri).ok());
  }
}

TEST(RealEnvTest, OtherSchemesAreUnimplemented) {
  Env& env = RealEnv();
  for (const std::string path :
       {"hdfs://host/a", "s3://bucket/a", "gs://b", "HDFS://x", "a.b2://x", "http://x/y", "File://x"}) {
    const std::string local = "weir_plain_file";
    const Status statuses[] = {env.OpenRead(path).status(),   env.OpenWrite(path).status(),
                               env.OpenAppend(path).status(), env.Stat(path).status(),
                               env.List(path).status(),       env.Rename(path, local),
                               env.Rename(local, path),       env.DeleteFile(path),
                               env.DeleteDirectory(path),     env.MakeDirectories(path),
                               env.SyncDirectory(path),       env.ReadFile(path).status(),
                               env.WriteFile(path, ""),       env.WriteFileAtomically(path, ""),
                               env.Match(path + "*").status()};
    for (const Status& status : statuses) {
      EXPECT_EQ(status.code(), StatusCode::kUnimplemented) << path << ": " << status;
      EXPECT_THAT(std::string(status.message()),
                  ::testing::HasSubstr("File system scheme '" + path.substr(0, path.find(':'))))
          << path;
      EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("(no scheme, or 'file')"));
    }
    EXPECT_FALSE(env.Exists(path));
  }
  // TensorFlow does not treat these as schemes either: they are plain paths.
  for (const std::string path : {"a://x", "1a://x", "a-b://x", "://x", "hdfs:/x", "/a://b/hdfs://c", ""})
    EXPECT_EQ(env.Stat(path).status().code(), StatusCode::kNotFound) << path;
}

TEST(PathTest, JoinAndSplit) {
  EXPECT_EQ(JoinPath("a", "b"), "a/b");
  EXPECT_EQ(JoinPath("a/", "b"), "a/b");
  EXPECT_EQ(JoinPath("", "b"), "b");
  EXPECT_EQ(JoinPath("a", "/b"), "/b");
  EXPECT_EQ(DirectoryOf("a/b/c"), "a/b");
  EXPECT_EQ(DirectoryOf("/c"), "/");
  EXPECT_EQ(DirectoryOf("c"), "");
  EXPECT_EQ(FileNameOf("a/b/c"), "c");
  EXPECT_EQ(FileNameOf("c"), "c");
}

}  // namespace
}  // namespace weir
