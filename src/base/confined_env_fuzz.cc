// Uses paths of arbitrary bytes in a ConfinedEnv: they must never lead out of its folder. A '@' in the input stands for
// the folder's parent.
#include <unistd.h>

#include <filesystem>

#include "absl/strings/str_replace.h"
#include "base/check.h"
#include "base/confined_env.h"

namespace {

namespace fs = std::filesystem;

struct Folders {
  std::string root = fs::canonical(fs::temp_directory_path()).string() + "/confined_fuzz_" + std::to_string(getpid());
  std::unique_ptr<weir::ConfinedEnv> env;
  Folders() {
    fs::create_directories(root + "/in/sub");
    fs::create_directories(root + "/out");
    WEIR_CHECK(weir::RealEnv().WriteFile(root + "/out/secret", "outer").ok(), root);
    fs::create_symlink(root + "/out/secret", root + "/in/to_file");
    fs::create_directory_symlink("../out", root + "/in/to_folder");
    fs::create_symlink("to_folder", root + "/in/to_link");
    fs::create_symlink("../out/new", root + "/in/to_nothing");
    env = weir::ConfinedEnv::Make(weir::RealEnv(), {root + "/in"}).value();
  }
  ~Folders() { fs::remove_all(root); }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Folders folders;
  const std::string path =
      absl::StrReplaceAll(std::string(reinterpret_cast<const char*>(data), size), {{"@", folders.root}});
  weir::ConfinedEnv& env = *folders.env;
  const std::string inner = folders.root + "/in/file";
  env.WriteFile(inner, "inner").IgnoreError();
  if (const weir::Result<std::string> text = env.ReadFile(path); text.ok())
    WEIR_CHECK(text->find("outer") == std::string::npos, path);
  env.Rename(inner, path).IgnoreError();
  env.Rename(path, inner).IgnoreError();
  env.WriteFile(path, "new").IgnoreError();
  env.DeleteFile(path).IgnoreError();
  env.DeleteDirectory(path).IgnoreError();
  env.List(path).IgnoreError();
  const auto names = weir::RealEnv().List(folders.root + "/out");
  WEIR_CHECK(names.ok() && *names == std::vector<std::string>{"secret"}, path);
  WEIR_CHECK(weir::RealEnv().ReadFile(folders.root + "/out/secret").value() == "outer", path);
  WEIR_CHECK(fs::is_symlink(folders.root + "/in/to_file") && fs::is_symlink(folders.root + "/in/to_link"), path);
  return 0;
}
