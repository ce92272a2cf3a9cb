// The `weir` program: reads the command line and hands over to what each command is.
// Invariant: what belongs to a user's script reaches it untouched.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "cli/devices.h"
#include "cli/run_python.h"
#include "cli/serve.h"
#include "cli/up.h"

namespace weir::cli {
namespace {

int Fail(const std::string& command, const Status& status) {
  std::fprintf(stderr, "weir %s: %s\n", command.c_str(), std::string(status.message()).c_str());
  const bool is_wrong_call = status.code() == StatusCode::kInvalidArgument || status.code() == StatusCode::kNotFound;
  return is_wrong_call ? 2 : 1;
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

void AddServe(CLI::App& app, ServeOptions& options, int& exit_status) {
  CLI::App* serve = app.add_subcommand("serve", "serve: one task of a cluster, without Python");
  serve->add_option("--cluster", options.cluster, "its jobs: ps=host:port,host:port;worker=host:port");
  serve->add_option("--ps_hosts", options.ps_hosts, "the addresses of job ps, with commas between");
  serve->add_option("--worker_hosts", options.worker_hosts, "the addresses of job worker");
  serve->add_option("--config", options.config_file, "a JSON file as TF_CONFIG, with or without \"task\"");
  serve->add_option("--job_name", options.job_name, "the job that this is a task of");
  serve->add_option("--task_index", options.task_index, "which task of its job this is")->check(CLI::NonNegativeNumber);
  serve->add_option("--bind_address", options.bind_address,
                    "where to listen (host or host:port), when that is not the address that the cluster has for it");
  serve->add_option("--grace", options.grace_seconds, "seconds that running steps get when it is asked to end")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  serve->footer(
      "Without --cluster, --ps_hosts, --worker_hosts and --config, the environment's TF_CONFIG says what they would.\n"
      "SIGTERM and Ctrl-C let running steps end, then it ends with status 0.\n\n"
      "Examples:\n"
      "  weir serve --cluster 'ps=a:2222;worker=b:2222,c:2222' --job_name worker --task_index 1\n"
      "  weir serve --config cluster.json --job_name ps\n");
  serve->callback([&options, &exit_status] {
    const Status status = Serve(options);
    exit_status = status.ok() ? 0 : Fail("serve", status);
  });
}

void AddDevices(CLI::App& app, DevicesOptions& options, int& exit_status) {
  CLI::App* devices = app.add_subcommand("devices", "devices TARGET: the devices of the cluster behind a server");
  devices->add_option("TARGET", options.target, "any server of the cluster: grpc://host:port, or host:port")
      ->required();
  devices->add_option("--timeout", options.timeout_seconds, "seconds to wait for an answer")
      ->check(CLI::Range(0.001, 1e6))
      ->capture_default_str();
  devices->footer(
      "The status is 1 when nobody answers, and when some task of the cluster does not.\n\n"
      "Example:\n  weir devices grpc://localhost:2222 --timeout 2\n");
  devices->callback([&options, &exit_status] {
    const Status status = ListDevices(options);
    exit_status = status.ok() ? 0 : Fail("devices", status);
  });
}

int Main(int argc, char** argv) {
  CLI::App app("Weir, a dataflow training engine that speaks TensorFlow 1.x", "weir");
  app.set_version_flag("--version", WEIR_VERSION);
  app.require_subcommand(1);
  int exit_status = 0;
  UpOptions up_options;
  ServeOptions serve_options;
  DevicesOptions devices_options;
  AddRun(app, exit_status);
  AddUp(app, up_options, exit_status);
  AddServe(app, serve_options, exit_status);
  AddDevices(app, devices_options, exit_status);
  CLI11_PARSE(app, argc, argv);
  return exit_status;
}

}  // namespace
}  // namespace weir::cli

int main(int argc, char** argv) { return weir::cli::Main(argc, argv); }
