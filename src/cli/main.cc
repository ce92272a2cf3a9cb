// The `weir` program. `weir run SCRIPT ARGS...` replaces this process by the Python that Weir was built for, with the
// package of this build or installation on its path; all the rest of running a script is the package's own business.
// Invariant: what follows SCRIPT reaches the script untouched.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

// The folder that holds the package: beside the program in a build tree, below lib/ when installed. Empty if neither
// is.
fs::path FindPackageRoot() {
  std::error_code error;
  fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& root : {program / "python", program.parent_path() / "lib/weir/python"}) {
    if (fs::is_directory(root / "weir", error)) return root;
  }
  return {};
}

int Fail(const std::string& message) {
  std::fprintf(stderr, "weir: %s\n", message.c_str());
  return 1;
}

// Does not return when it succeeds.
int RunPython(const std::vector<std::string>& arguments) {
  fs::path root = FindPackageRoot();
  if (root.empty())
    return Fail("the Python package is neither in python/ beside this program nor in ../lib/weir/python");
  const char* path = std::getenv("PYTHONPATH");
  std::string new_path = path == nullptr || *path == '\0' ? root.string() : root.string() + ":" + path;
  setenv("PYTHONPATH", new_path.c_str(), /*overwrite=*/1);

  const char* python = std::getenv("WEIR_PYTHON");
  if (python == nullptr || *python == '\0') python = WEIR_PYTHON_EXECUTABLE;
  std::vector<char*> argv = {const_cast<char*>(python), const_cast<char*>("-m"), const_cast<char*>("weir")};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execv(python, argv.data());
  return Fail(std::string("cannot start ") + python + ": " + std::strerror(errno));
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Weir, a dataflow training engine that speaks TensorFlow 1.x", "weir");
  app.set_version_flag("--version", WEIR_VERSION);
  app.require_subcommand(1);
  CLI::App* run =
      app.add_subcommand("run", "run SCRIPT [ARGS...]: a Python program in which `import tensorflow` is Weir");
  run->prefix_command();
  CLI11_PARSE(app, argc, argv);

  std::vector<std::string> arguments = run->remaining();
  if (arguments.empty()) return Fail("run: which script? Usage: weir run SCRIPT [ARGS...]");
  arguments.insert(arguments.begin(), "run");
  return RunPython(arguments);
}
