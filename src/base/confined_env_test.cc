#include "base/confined_env.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace weir {
namespace {

namespace fs = std::filesystem;

class ConfinedEnvTest : public testing::Test {
 protected:
  ConfinedEnvTest() {
    fs::create_directories(root_ + "/in/sub");
    fs::create_directories(root_ + "/inside");  // begins like the name of the allowed folder
    fs::create_directories(root_ + "/out");
    EXPECT_TRUE(RealEnv().WriteFile(root_ + "/in/file", "inner").ok());
    EXPECT_TRUE(RealEnv().WriteFile(root_ + "/out/secret", "outer").ok());
    EXPECT_TRUE(RealEnv().WriteFile(root_ + "/inside/secret", "outer").ok());
    env_ = ConfinedEnv::Make(RealEnv(), {root_ + "/in"}).value();
  }
  ~ConfinedEnvTest() override { fs::remove_all(root_); }
  void ExpectDenied(const std::string& path) {
    const auto denied = [&](const Status& status) {
      EXPECT_EQ(status.code(), StatusCode::kPermissionDenied) << path << ": " << status;
    };
    denied(env_->OpenRead(path).status());
    denied(env_->OpenWrite(path).status());
    denied(env_->OpenAppend(path).status());
    denied(env_->Rename(path, root_ + "/in/new"));
    denied(env_->Rename(root_ + "/in/file", path));
    denied(env_->DeleteFile(path));
    denied(env_->DeleteUnlocked(path));
    denied(env_->OpenReplacement(path, root_ + "/in/aside").status());
    denied(env_->OpenReplacement(root_ + "/in/file", path).status());
    EXPECT_EQ(env_->Lock(path), nullptr);
  }

  const std::string root_ = fs::canonical(testing::TempDir()).string() + "/confined_" + std::to_string(getpid());
  std::unique_ptr<ConfinedEnv> env_;
};

TEST_F(ConfinedEnvTest, FilesInTheFoldersCanBeUsed) {
  EXPECT_EQ(env_->ReadFile(root_ + "/in/file").value(), "inner");
  EXPECT_EQ(env_->ReadFile("file://" + root_ + "/in/file").value(), "inner");
  EXPECT_EQ(env_->ReadFile(root_ + "/in/sub/../file").value(), "inner");
  EXPECT_TRUE(env_->MakeDirectories(root_ + "/in/a/b").ok());
  EXPECT_TRUE(env_->WriteFileAtomically(root_ + "/in/a/b/c", "x").ok());
  EXPECT_TRUE(env_->ReplaceFile(root_ + "/in/a/b/c", "y").ok());
  EXPECT_EQ(env_->List(root_ + "/in/a/b").value(), std::vector<std::string>{"c"});
  EXPECT_EQ(env_->Match(root_ + "/in/a/*/c").value().size(), 1u);
  EXPECT_TRUE(env_->DeleteFile(root_ + "/in/a/b/c").ok());
  EXPECT_TRUE(env_->DeleteDirectory(root_ + "/in/a/b").ok());
}

TEST_F(ConfinedEnvTest, OtherFilesCannot) {
  for (const std::string& path : {root_ + "/out/secret", root_ + "/inside/secret", std::string("/etc/passwd"),
                                  root_ + "/in/../out/secret", root_ + "/in/sub/../../out/secret",
                                  root_ + "/in/missing/../../out/secret", "file://" + root_ + "/out/secret"}) {
    ExpectDenied(path);
  }
  EXPECT_EQ(env_->List(root_).status().code(), StatusCode::kPermissionDenied);
  EXPECT_TRUE(env_->Match(root_ + "/*/secret").value().empty());
  EXPECT_TRUE(env_->Match(root_ + "/out/secret").value().empty());
  EXPECT_TRUE(env_->Match(root_ + "/out/s*").value().empty());
  EXPECT_EQ(env_->Stat(root_ + "/out/secret").status().code(), StatusCode::kPermissionDenied);
  EXPECT_EQ(env_->MakeDirectories(root_ + "/out/a").code(), StatusCode::kPermissionDenied);
  EXPECT_EQ(env_->DeleteDirectory(root_ + "/inside").code(), StatusCode::kPermissionDenied);
  EXPECT_EQ(RealEnv().ReadFile(root_ + "/out/secret").value(), "outer");
  EXPECT_EQ(RealEnv().ReadFile(root_ + "/in/file").value(), "inner");
}

TEST_F(ConfinedEnvTest, LinksDoNotLeadOut) {
  fs::create_symlink(root_ + "/out/secret", root_ + "/in/to_file");
  fs::create_directory_symlink(root_ + "/out", root_ + "/in/to_folder");
  fs::create_symlink("../out/new", root_ + "/in/to_nothing");
  fs::create_symlink("to_file", root_ + "/in/to_link");
  for (const char* path :
       {"/in/to_file", "/in/to_folder/secret", "/in/to_nothing", "/in/to_link", "/in/sub/../to_file"})
    ExpectDenied(root_ + path);
  EXPECT_FALSE(fs::exists(root_ + "/out/new"));
  fs::create_symlink("file", root_ + "/in/to_inner");
  EXPECT_EQ(env_->ReadFile(root_ + "/in/to_inner").value(), "inner");
  fs::create_symlink("loop", root_ + "/in/loop");
  EXPECT_EQ(env_->ReadFile(root_ + "/in/loop").status().code(), StatusCode::kInvalidArgument);
}

TEST_F(ConfinedEnvTest, LinksCannotBeMoved) {
  // From "sub/deep", the link leads to a file inside of the folder; one level up, it would lead out.
  fs::create_directories(root_ + "/in/sub/deep");
  fs::create_symlink("../../file", root_ + "/in/sub/deep/link");
  EXPECT_EQ(env_->ReadFile(root_ + "/in/sub/deep/link").value(), "inner");
  EXPECT_EQ(env_->Rename(root_ + "/in/sub/deep", root_ + "/in/moved").code(), StatusCode::kPermissionDenied);
  EXPECT_TRUE(fs::exists(root_ + "/in/sub/deep/link"));
  // Renaming a link renames the file that it leads to.
  EXPECT_TRUE(env_->Rename(root_ + "/in/sub/deep/link", root_ + "/in/renamed").ok());
  EXPECT_TRUE(fs::is_symlink(root_ + "/in/sub/deep/link"));
  EXPECT_EQ(env_->ReadFile(root_ + "/in/renamed").value(), "inner");
}

TEST_F(ConfinedEnvTest, PathsEndWhereTheyAreChecked) {
  for (const std::string& path : {root_ + "/in/file" + std::string("\0.txt", 5), std::string("\0", 1),
                                  root_ + std::string("/in\0/../../out/secret", 21)})
    EXPECT_EQ(env_->OpenRead(path).status().code(), StatusCode::kInvalidArgument);
  for (const std::string& path : {root_ + "/in/../in/./file", root_ + "//in//file", root_ + "/out/../in/file"})
    EXPECT_EQ(env_->ReadFile(path).value(), "inner") << path;
  // Relative paths start in the working directory, which is none of the folders.
  ExpectDenied("in/file");
  EXPECT_EQ(env_->OpenRead("").status().code(), StatusCode::kInvalidArgument);
  ExpectDenied("/proc/self/environ");
}

TEST_F(ConfinedEnvTest, OnlyRegularFilesCanBeUsed) {
  ASSERT_EQ(mkfifo((root_ + "/in/pipe").c_str(), 0600), 0);
  ExpectDenied(root_ + "/in/pipe");
}

TEST_F(ConfinedEnvTest, WithoutFoldersThereAreNoFiles) {
  env_ = ConfinedEnv::Make(RealEnv(), {}).value();
  ExpectDenied(root_ + "/in/file");
  EXPECT_EQ(ConfinedEnv::Make(RealEnv(), {root_ + "/missing"}).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(ConfinedEnv::Make(RealEnv(), {root_ + "/in/file"}).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace weir
