// The `weir` program: parses the command line and calls the command.
// Invariant: arguments of a user's script are passed on unchanged.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "cli/certs.h"
#include "cli/devices.h"
#include "cli/records.h"
#include "cli/run_python.h"
#include "cli/serve.h"
#include "cli/up.h"

namespace weir::cli {
namespace {

constexpr int kUsageError = 2;

// Replaces CLI11's usage line by a given one.
class Help final : public CLI::Formatter {
 public:
  explicit Help(std::string usage) : usage_(std::move(usage)) {}
  std::string make_usage(const CLI::App*, std::string) const override { return usage_ + "\n"; }

 private:
  std::string usage_;
};

// `command` is empty if none was given.
int UsageError(const std::string& command, const std::string& message) {
  const std::string program = command.empty() ? "weir" : "weir " + command;
  std::fprintf(stderr, "%s: %s\nSee '%s --help'.\n", program.c_str(), message.c_str(), program.c_str());
  return kUsageError;
}

int Fail(const std::string& command, const Status& status) {
  const std::string message(status.message());
  if (status.code() == StatusCode::kInvalidArgument || status.code() == StatusCode::kNotFound)
    return UsageError(command, message);
  std::fprintf(stderr, "weir %s: %s\n", command.c_str(), message.c_str());
  return 1;
}

// Checks bounds. They appear in the error message, not in the help.
template <class T>
CLI::Validator Within(T least, T most) {
  const auto check = [least, most](const std::string& text) -> std::string {
    T value = 0;
    if (CLI::detail::lexical_cast(text, value) && value >= least && value <= most) return "";
    const char* kind = std::is_integral_v<T> ? "a whole number" : "a number";
    if (most == std::numeric_limits<T>::max()) return fmt::format("'{}' is not {} of {} or more", text, kind, least);
    return fmt::format("'{}' is not {} from {} to {}", text, kind, least, most);
  };
  return CLI::Validator(check, "");
}

void AddRun(CLI::App& app, int& exit_status) {
  CLI::App* run = app.add_subcommand("run", "Runs a Python program in which `import tensorflow` is Weir");
  run->formatter(std::make_shared<Help>("Usage: weir run SCRIPT [ARGS...]\n       weir run -m MODULE [ARGS...]"));
  run->footer("Example:\n  weir run train.py --learning_rate=0.1\n");
  run->prefix_command();
  run->callback([run, &exit_status] {
    std::vector<std::string> arguments = run->remaining();
    if (arguments.empty()) {
      exit_status = UsageError("run", "no script given; usage: weir run SCRIPT [ARGS...]");
      return;
    }
    arguments.insert(arguments.begin(), "run");
    exit_status = Fail("run", RunPython(arguments));
  });
}

void AddUp(CLI::App& app, UpOptions& options, int& exit_status) {
  CLI::App* up = app.add_subcommand("up", "Runs a program as all tasks of a cluster on this host");
  up->formatter(std::make_shared<Help>("Usage: weir up PROGRAM [OPTIONS] [-- ARGS...]"));
  up->add_option("PROGRAM", options.script,
                 "program to run as every task: a Python script (run by `weir run`) or an executable")
      ->required();
  up->add_option("--ps", options.ps, "number of parameter servers")
      ->type_name("N")
      ->check(Within(0, 1000))
      ->capture_default_str();
  up->add_option("--workers", options.workers, "number of workers")
      ->type_name("N")
      ->check(Within(1, 1000))
      ->capture_default_str();
  up->add_flag("--chief", options.chief,
               "add a chief, for tf.estimator: the workers are then further tasks that train");
  up->add_flag("--evaluator", options.evaluator, "add an evaluator, for tf.estimator");
  up->add_option("--grace", options.grace_seconds, "seconds between asking a task to end and killing it")
      ->type_name("SECONDS")
      ->check(Within(0.0, 1e6))
      ->capture_default_str();
  up->add_option("--restarts", options.restarts,
                 "how often each task that fails or is killed is started again, at its old address")
      ->type_name("N")
      ->check(Within(0, 1'000'000))
      ->capture_default_str();
  up->add_flag("--no_flags", options.no_flags, "pass each task's identity in TF_CONFIG only, not as flags");
  up->add_option("ARGS", options.arguments, "arguments for the program, after --");
  up->footer(
      "Every task gets its identity in TF_CONFIG and, unless --no_flags is given, in the flags --ps_hosts, "
      "--worker_hosts,\n--job_name and --task_index after ARGS. Each line of output starts with the name of its task. "
      "When all workers are\ndone, the parameter servers are stopped. When a task fails that may not be restarted, the "
      "others are stopped and this\ncommand exits with the status of that task. Ctrl-C stops all tasks.\n\n"
      "Example:\n  weir up train.py --ps 1 --workers 2 -- --steps=1000\n");
  up->callback([&options, &exit_status] {
    const Result<int> status = Up(options);
    exit_status = status.ok() ? *status : Fail("up", status.status());
  });
}

// The options of commands that connect or listen.
void AddCredentials(CLI::App& command, Credentials& credentials) {
  command.add_option("--tls_cert", credentials.tls_cert, "PEM file of this process's certificate (or WEIR_TLS_CERT)");
  command.add_option("--tls_key", credentials.tls_key, "PEM file of the certificate's key (or WEIR_TLS_KEY)");
  command.add_option("--tls_ca", credentials.tls_ca,
                     "PEM file of the CA that signs the peers' certificates (or WEIR_TLS_CA)");
}

void AddCluster(CLI::App& command, ServeOptions& options) {
  command.add_option("--cluster", options.cluster, "jobs and their addresses: ps=host:port,host:port;worker=host:port");
  command.add_option("--ps_hosts", options.ps_hosts, "comma-separated addresses of job ps");
  command.add_option("--worker_hosts", options.worker_hosts, "comma-separated addresses of job worker");
  command.add_option("--config", options.config_file, "JSON file in the format of TF_CONFIG; \"task\" is optional");
}

void AddServe(CLI::App& app, ServeOptions& options, int& exit_status) {
  CLI::App* serve = app.add_subcommand("serve", "Runs one task of a cluster, without Python");
  serve->formatter(std::make_shared<Help>("Usage: weir serve [OPTIONS]"));
  AddCluster(*serve, options);
  serve->add_option("--job_name", options.job_name, "job of this task");
  serve->add_option("--task_index", options.task_index, "index of this task in its job")
      ->type_name("N")
      ->check(Within(0, 1'000'000));
  serve->add_option("--bind_address", options.bind_address,
                    "host or host:port to listen on, if not the task's address in the cluster");
  serve
      ->add_option("--end_with", options.end_with,
                   "job, or jobs separated by commas: exit when all of their tasks have ended")
      ->type_name("JOB");
  AddCredentials(*serve, options.credentials);
  serve->add_option("--accepted_tokens", options.credentials.accepted_tokens_file,
                    "file with the tokens of clients, one per line: TOKEN client/NAME or TOKEN admin/NAME");
  serve->add_option("--files", options.files, "folders that graphs may read and write; without credentials, all files")
      ->type_name("FOLDER,...")
      ->delimiter(',');
  serve->add_flag("--insecure", options.insecure,
                  "serve other hosts without credentials: everybody who can connect to the port is trusted");
  serve->add_option("--grace", options.grace_seconds, "seconds that running steps may take after SIGTERM or Ctrl-C")
      ->type_name("SECONDS")
      ->check(Within(0.0, 1e6))
      ->capture_default_str();
  for (const LimitRow& row : kLimitRows) {
    serve
        ->add_option(row.flag, options.limits[static_cast<size_t>(row.limit)],
                     fmt::format("most {} (or {})", row.what, row.variable))
        ->type_name("N")
        ->check(Within(int64_t{1}, std::numeric_limits<int64_t>::max() / row.unit))
        ->group("Limits");
  }
  serve->footer(
      "Without --cluster, --ps_hosts, --worker_hosts and --config, the cluster is read from the environment "
      "variable\nTF_CONFIG. On SIGTERM or Ctrl-C, running steps may finish; then the process exits with status 0.\n"
      "A server that other hosts can reach needs credentials (weir certs make) or --insecure.\n\n"
      "Examples:\n"
      "  weir serve --cluster 'ps=a:2222;worker=b:2222,c:2222' --job_name worker --task_index 1 --insecure\n"
      "  weir serve --config cluster.json --job_name ps --end_with worker\n");
  serve->callback([&options, &exit_status] {
    const Status status = Serve(options);
    exit_status = status.ok() ? 0 : Fail("serve", status);
  });
}

void AddDevices(CLI::App& app, DevicesOptions& options, int& exit_status) {
  CLI::App* devices = app.add_subcommand("devices", "Lists the devices of the cluster behind a server");
  devices->formatter(std::make_shared<Help>("Usage: weir devices TARGET [OPTIONS]"));
  devices->add_option("TARGET", options.target, "any server of the cluster: grpc://host:port, or host:port")
      ->required();
  devices->add_option("--timeout", options.timeout_seconds, "seconds to wait for an answer")
      ->type_name("SECONDS")
      ->check(Within(0.001, 1e6))
      ->capture_default_str();
  AddCredentials(*devices, options.credentials);
  devices->footer(
      "Lists tasks that do not answer in time on standard error. Exits with status 1 if the server itself does "
      "not\nanswer.\n\n"
      "Example:\n  weir devices grpc://localhost:2222 --timeout 2\n");
  devices->callback([&options, &exit_status] {
    const Status status = ListDevices(options);
    exit_status = status.ok() ? 0 : Fail("devices", status);
  });
}

struct RecordsOptions {
  MakeRecordsOptions make;
  ShowRecordsOptions show;
  std::vector<std::string> counted;
};

void AddMakeRecords(CLI::App& records, MakeRecordsOptions& options, int& exit_status) {
  CLI::App* make = records.add_subcommand("make", "Writes the images of a folder as records");
  make->formatter(std::make_shared<Help>("Usage: weir records make FOLDER FILE [OPTIONS]"));
  make->add_option("FOLDER", options.folder, "folder with one subfolder of PNG, JPEG, GIF or BMP files per class")
      ->required();
  make->add_option("FILE", options.file, "record file to write; class names are written to FILE.labels")->required();
  make->add_flag("--raw", options.image.raw, "store decoded pixels instead of the image files");
  make->add_option("--channels", options.image.channels, "channels to decode: 1 (grey), 3 (RGB) or 0 (as in the file)")
      ->type_name("N")
      ->check(CLI::IsMember({0, 1, 3}).description(""))
      ->capture_default_str();
  make->add_option("--compression", options.compression, "compression of the record file: GZIP or ZLIB")
      ->type_name("KIND");
  make->add_option("--seed", options.seed, "seed for shuffling the records")->type_name("N")->capture_default_str();
  make->add_option("--labels", options.labels, "file with class names, such as FILE.labels of an earlier run")
      ->type_name("FILE");
  make->add_flag("--skip_damaged", options.skip_damaged, "skip images that cannot be read");
  make->footer(
      "Records are examples with the features image/encoded, image/format, image/height, image/width, image/channels,\n"
      "image/class/label and image/class/text; with --raw: image_raw, height, width, depth, label. Labels are "
      "the\nindices of the sorted folder names. For a second file that may lack a class, pass the first file's "
      "--labels.\n\n"
      "Example:\n  weir records make pictures/train train.tfrecords --raw --channels 1\n");
  make->callback([&options, &exit_status] {
    const Status status = MakeRecords(options, RealEnv());
    exit_status = status.ok() ? 0 : Fail("records make", status);
  });
}

void AddRecords(CLI::App& app, RecordsOptions& options, int& exit_status) {
  CLI::App* records = app.add_subcommand("records", "Makes record files from images; shows and counts records");
  records->formatter(std::make_shared<Help>("Usage: weir records COMMAND ..."));
  records->require_subcommand(1);
  records->footer(
      "Run 'weir records COMMAND --help' for details.\n\n"
      "Example:\n  weir records make pictures train.tfrecords\n");
  AddMakeRecords(*records, options.make, exit_status);

  CLI::App* show = records->add_subcommand("show", "Prints the first records of a file");
  show->formatter(std::make_shared<Help>("Usage: weir records show FILE [OPTIONS]"));
  show->add_option("FILE", options.show.file, "a record file, compressed or not")->required();
  show->add_option("--limit", options.show.limit, "number of records to show")
      ->type_name("N")
      ->check(Within<int64_t>(1, std::numeric_limits<int64_t>::max()))
      ->capture_default_str();
  show->footer("Example:\n  weir records show train.tfrecords --limit 3\n");
  show->callback([&options, &exit_status] {
    const Status status = ShowRecords(options.show, RealEnv());
    exit_status = status.ok() ? 0 : Fail("records show", status);
  });

  CLI::App* count = records->add_subcommand("count", "Counts records and verifies their checksums");
  count->formatter(std::make_shared<Help>("Usage: weir records count FILE..."));
  count->add_option("FILE", options.counted, "record files, compressed or not")->required();
  count->footer(
      "Exits with status 1 if a file is damaged, with the reason on standard error.\n\n"
      "Example:\n  weir records count data/*.tfrecords\n");
  count->callback([&options, &exit_status] {
    const Status status = CountRecords(options.counted, RealEnv());
    exit_status = status.ok() ? 0 : Fail("records count", status);
  });
}

void AddCerts(CLI::App& app, MakeCertsOptions& options, int& exit_status) {
  CLI::App* certs = app.add_subcommand("certs", "Makes the certificates of a cluster");
  certs->formatter(std::make_shared<Help>("Usage: weir certs COMMAND ..."));
  certs->require_subcommand(1);
  certs->footer(
      "Run 'weir certs COMMAND --help' for details.\n\n"
      "Example:\n  weir certs make certs --config cluster.json --clients alice\n");
  CLI::App* make = certs->add_subcommand("make", "Writes a CA and certificates for tasks, clients and administrators");
  make->formatter(std::make_shared<Help>("Usage: weir certs make FOLDER [OPTIONS]"));
  make->add_option("FOLDER", options.folder, "folder to write to; a CA that is there already is used")->required();
  AddCluster(*make, options.cluster);
  make->add_option("--clients", options.clients, "names of people and programs that use sessions")
      ->type_name("NAME,...")
      ->delimiter(',');
  make->add_option("--admins", options.administrators, "names of those who may also reset servers")
      ->type_name("NAME,...")
      ->delimiter(',');
  make->add_option("--days", options.valid_days, "days for which the certificates are valid")
      ->type_name("N")
      ->check(Within(1, 3650))
      ->capture_default_str();
  make->footer(
      "Writes NAME.crt and NAME.key for each, and ca.crt and ca.key. A process gets its pair and ca.crt, in "
      "WEIR_TLS_CERT,\nWEIR_TLS_KEY and WEIR_TLS_CA or as options of weir serve.\n\n"
      "Examples:\n  weir certs make certs --config cluster.json --clients alice --admins bob\n"
      "  weir certs make certs --cluster 'ps=a:2222;worker=b:2222,c:2222'\n");
  make->callback([&options, &exit_status] {
    const Status status = MakeCerts(options, RealEnv());
    exit_status = status.ok() ? 0 : Fail("certs make", status);
  });
}

// Levenshtein distance.
size_t EditDistance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0]++;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

std::vector<std::string> Commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

// Returns the name most similar to an unknown word, or null if none is similar.
const std::string* Nearest(const std::vector<std::string>& names, const std::string& word) {
  size_t closest = 3;  // maximum distance, exclusive
  const std::string* nearest = nullptr;
  for (const std::string& name : names) {
    const bool is_start = word.size() > 1 && name.starts_with(word);
    if (const size_t distance = is_start ? 0 : EditDistance(word, name); distance < closest) {
      closest = distance;
      nearest = &name;
    }
  }
  return nearest;
}

// `command` is empty, or a command with subcommands.
int UnknownCommand(const std::string& command, const std::vector<std::string>& names, const std::string& word) {
  const std::string* nearest = Nearest(names, word);
  return UsageError(command,
                    nearest != nullptr
                        ? fmt::format("unknown command '{}'; did you mean '{}'?", word, *nearest)
                        : fmt::format("unknown command '{}'; commands are {}", word, absl::StrJoin(names, ", ")));
}

// Describes arguments that the command does not accept: the first unknown option if any, else all of them.
std::string UnknownArguments(const CLI::App& command) {
  const char* hint = command.get_name() == "up" ? "; arguments of the program come after --" : "";
  const std::vector<std::string> words = command.remaining();
  const auto option =
      std::find_if(words.begin(), words.end(), [](const std::string& word) { return word.starts_with("--"); });
  if (option == words.end()) return fmt::format("unexpected argument '{}'{}", absl::StrJoin(words, " "), hint);
  const std::string name = option->substr(2, option->find('=') - 2);
  std::vector<std::string> names;
  for (const CLI::Option* known : command.get_options())
    names.insert(names.end(), known->get_lnames().begin(), known->get_lnames().end());
  if (const std::string* nearest = Nearest(names, name))
    return fmt::format("unknown option '{}'; did you mean '--{}'?", *option, *nearest);
  return fmt::format("unknown option '{}'{}", *option, hint);
}

// Reports a parse error of CLI11.
int UsageError(const CLI::App& app, const CLI::ParseError& error, const std::string& first) {
  if (app.get_subcommands().empty()) return UsageError("", fmt::format("there is no option '{}'", first));
  const CLI::App& outer = *app.get_subcommands().front();
  const bool is_nested = !outer.get_subcommands().empty();
  const CLI::App& command = is_nested ? *outer.get_subcommands().front() : outer;
  if (const std::vector<std::string> names = Commands(outer); !names.empty() && !is_nested) {
    const std::vector<std::string> words = outer.remaining();
    if (!words.empty()) return UnknownCommand(outer.get_name(), names, words.front());
    return UsageError(outer.get_name(), "no command given; commands are " + absl::StrJoin(names, ", "));
  }
  const std::string name = is_nested ? outer.get_name() + " " + command.get_name() : command.get_name();
  const bool is_extra = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
  return UsageError(name, is_extra ? UnknownArguments(command) : error.what());
}

int Main(int argc, char** argv) {
  CLI::App app("Weir, a dataflow training engine that speaks TensorFlow 1.x", "weir");
  app.formatter(std::make_shared<Help>("Usage: weir COMMAND ..."));
  app.set_version_flag("--version", WEIR_VERSION);
  app.footer("Run 'weir COMMAND --help' for details.\n");
  int exit_status = 0;
  UpOptions up_options;
  ServeOptions serve_options;
  DevicesOptions devices_options;
  RecordsOptions records_options;
  MakeCertsOptions certs_options;
  AddRun(app, exit_status);
  AddUp(app, up_options, exit_status);
  AddServe(app, serve_options, exit_status);
  AddDevices(app, devices_options, exit_status);
  AddRecords(app, records_options, exit_status);
  AddCerts(app, certs_options, exit_status);

  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (!arguments.empty() && arguments[0] == "help") {
    arguments.erase(arguments.begin());
    arguments.resize(std::min<size_t>(arguments.size(), 2));
    arguments.emplace_back("--help");
  }
  if (arguments.empty()) return UsageError("", "no command given; commands are " + absl::StrJoin(Commands(app), ", "));
  const std::string first = arguments[0];
  const std::vector<std::string> names = Commands(app);
  const bool is_known = std::find(names.begin(), names.end(), first) != names.end();
  if (!is_known && !first.starts_with("-")) return UnknownCommand("", names, first);
  try {
    std::reverse(arguments.begin(), arguments.end());  // CLI11 expects reverse order
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    return error.get_exit_code() == 0 ? app.exit(error) : UsageError(app, error, first);
  }
  return exit_status;
}

}  // namespace
}  // namespace weir::cli

int main(int argc, char** argv) { return weir::cli::Main(argc, argv); }
