// The `weir` program: reads the command line and hands over to what each command is.
// Invariant: what belongs to a user's script reaches it untouched.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "cli/run_python.h"
#include "cli/up.h"

namespace weir::cli {
namespace {

int Fail(const std::string& command, const Status& status) {
  std::fprintf(stderr, "weir %s: %s\n", command.c_str(), std::string(status.message()).c_str());
  return status.code() == StatusCode::kUnknown ? 1 : 2;
}

void AddRun(CLI::App& app, int& exit_status) {
  CLI::App* run =
      app.add_subcommand("run", "run SCRIPT [ARGS...]: a Python program in which `import tensorflow` is Weir");
  run->footer("Example:\n  weir run train.py --learning_rate=0.1\n");
  run->prefix_command();
  run->callback([run, &exit_status] {
    std::vector<std::string> arguments = run->remaining();
    if (arguments.empty()) {
      exit_status = Fail("run", InvalidArgument("which script? Usage: weir run SCRIPT [ARGS...]"));
      return;
    }
    arguments.insert(arguments.begin(), "run");
    exit_status = Fail("run", RunPython(arguments));
  });
}

void AddUp(CLI::App& app, UpOptions& options, int& exit_status) {
  CLI::App* up =
      app.add_subcommand("up", "up SCRIPT [-- ARGS...]: a Python program as all tasks of a cluster on this host");
  up->add_option("SCRIPT", options.script, "the program, run by `weir run` once for every task")->required();
  up->add_option("--ps", options.ps, "how many parameter servers")->check(CLI::Range(0, 1000))->capture_default_str();
  up->add_option("--workers", options.workers, "how many workers")->check(CLI::Range(1, 1000))->capture_default_str();
  up->add_option("--grace", options.grace_seconds, "seconds from asking a task to end until it is killed")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  up->add_option("ARGS", options.arguments, "arguments of the program, after --");
  up->footer(
      "Every task is told who it is by the flags --ps_hosts, --worker_hosts, --job_name and --task_index after ARGS, "
      "and\n"
      "by TF_CONFIG. Its output has its name before each line. Parameter servers are ended when all workers are done;\n"
      "a task that fails ends the others, and its status is that of this command. Ctrl-C ends all tasks.\n\n"
      "Example:\n  weir up train.py --ps 1 --workers 2 -- --steps=1000\n");
  up->callback([&options, &exit_status] {
    const Result<int> status = Up(options);
    exit_status = status.ok() ? *status : Fail("up", status.status());
  });
}

int Main(int argc, char** argv) {
  CLI::App app("Weir, a dataflow training engine that speaks TensorFlow 1.x", "weir");
  app.set_version_flag("--version", WEIR_VERSION);
  app.require_subcommand(1);
  int exit_status = 0;
  UpOptions up_options;
  AddRun(app, exit_status);
  AddUp(app, up_options, exit_status);
  CLI11_PARSE(app, argc, argv);
  return exit_status;
}

}  // namespace
}  // namespace weir::cli

int main(int argc, char** argv) { return weir::cli::Main(argc, argv); }
