#include "cli/run_python.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace weir::cli {

namespace {

namespace fs = std::filesystem;

// Returns the folder with the Python package: next to the program in a build tree, below lib/ when installed. Requires
// the extension module, which is built last.
Result<fs::path> FindPackageRoot() {
  WEIR_ASSIGN(const std::string program, ThisProgram());
  const fs::path folder = fs::path(program).parent_path();
  const std::array<fs::path, 2> roots = {folder / "python", folder.parent_path() / "lib/weir/python"};
  std::error_code error;
  for (const fs::path& root : roots) {
    if (fs::exists(root / "weir/__main__.py", error) && fs::exists(root / "weir/_weir.so", error)) return root;
  }
  return FailedPrecondition(
      "the Python package is missing or incomplete: neither {} nor {} contains __main__.py and _weir.so. Run 'make "
      "build' (or 'make install' for an installed program)",
      (roots[0] / "weir").string(), (roots[1] / "weir").string());
}

}  // namespace

Result<std::string> ThisProgram() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return UnknownError("cannot find this program: /proc/self/exe: {}", error.message());
  return program.string();
}

Status RunPython(const std::vector<std::string>& arguments) {
  WEIR_ASSIGN(const fs::path root, FindPackageRoot());
  const char* path = std::getenv("PYTHONPATH");
  const std::string new_path = path == nullptr || *path == '\0' ? root.string() : root.string() + ":" + path;
  setenv("PYTHONPATH", new_path.c_str(), /*overwrite=*/1);

  const char* python = std::getenv("WEIR_PYTHON");
  if (python == nullptr || *python == '\0') python = WEIR_PYTHON_EXECUTABLE;
  std::vector<char*> argv = {const_cast<char*>(python), const_cast<char*>("-m"), const_cast<char*>("weir")};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execv(python, argv.data());
  return UnknownError("cannot start {}: {}", python, std::strerror(errno));
}

}  // namespace weir::cli
