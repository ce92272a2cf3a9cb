#include "train/run_marks.h"

#include <absl/strings/str_join.h>
#include <absl/strings/strip.h>

#include <algorithm>

#include "base/murmur.h"
#include "graph/build/array_ops.h"
#include "graph/build/state_ops.h"
#include "graph/compose/variable.h"
#include "graph/device_name.h"
#include "train/log.h"

namespace weir {
namespace {

constexpr char kMarkName[] = "weir/run_mark";

std::string Describe(const VariablePtr& variable) {
  return fmt::format("{} {} {}", variable->op_name(), DTypeName(variable->dtype()), variable->shape().ToString());
}

}  // namespace

Result<RecoverMode> ParseRecoverMode(std::string_view text) {
  if (text.empty() || text == "partial") return RecoverMode::kPartial;
  if (text == "resume") return RecoverMode::kResume;
  if (text == "restore") return RecoverMode::kRestore;
  return InvalidArgument("WEIR_RECOVER is '{}', but must be partial, resume or restore", text);
}

std::string RequestedTask(const std::string& device) {
  const Result<DeviceName> name = DeviceName::Parse(device);
  if (!name.ok() || !name->job) return "";
  DeviceName task;
  task.job = name->job;
  task.task = name->task.value_or(0);
  return task.ToString();
}

Result<std::unique_ptr<RunMarks>> RunMarks::Read(Graph& graph, Session& session, const Options& options) {
  std::map<std::string, std::vector<std::string>> variables;
  std::map<std::string, Node*> one_of;
  for (const VariablePtr& variable : GlobalVariables(graph)) {
    const std::string task = RequestedTask(variable->device());
    variables[task].push_back(Describe(variable));
    one_of[task] = variable->handle().node;
  }
  if (variables.empty()) return nullptr;
  std::unique_ptr<RunMarks> marks(new RunMarks(options, std::make_shared<Graph>(graph.registry())));
  WEIR_ASSIGN(marks->session_, session.NewSessionForGraph(marks->graph_));
  if (marks->session_ == nullptr) return nullptr;
  // Let the session open its tasks before the marks are read: a task that is restarted in between then has no mark.
  RunRequest open;
  open.cancel = options.cancel;
  for (const auto& [task, node] : one_of) open.targets.push_back(node);
  WEIR_TRY(session.Run(open).status());
  WEIR_TRY(marks->Build(variables));
  WEIR_TRY(marks->FindRunId());
  WEIR_TRY(marks->ReadValues());
  return marks;
}

RunMarks::~RunMarks() {
  if (session_ != nullptr) session_->Close().IgnoreError();
}

Status RunMarks::Build(const std::map<std::string, std::vector<std::string>>& variables) {
  for (const auto& [task, unsorted] : variables) {
    tasks_.insert(task);
    std::vector<std::string> described = unsorted;
    std::sort(described.begin(), described.end());
    Mark& mark = marks_[task];
    mark.fingerprint = fmt::format("{:016x}", Murmur64(absl::StrJoin(described, "\n")));
    DeviceScope on_task(*graph_, task + "/device:CPU:0");
    const Output handle = VarHandleOp(*graph_, kString, PartialShape::Scalar(), {.shared_name = kMarkName});
    mark.is_set = VarIsInitializedOp(handle);
    mark.value = ReadVariableOp(handle, kString);
    mark.next = Placeholder(*graph_, kString, {.shape = PartialShape::Scalar()});
    mark.assign = AssignVariableOp(handle, mark.next);
  }
  return graph_->TakeError();
}

Status RunMarks::FindRunId() {
  if (options_.directory.empty()) return OkStatus();
  const std::string path = JoinPath(options_.directory, kRunIdFile);
  if (!options_.env->Exists(path)) return OkStatus();
  WEIR_ASSIGN(const std::string text, options_.env->ReadFile(path));
  run_id_ = std::string(absl::StripAsciiWhitespace(text));
  return OkStatus();
}

Status RunMarks::ReadValues() {
  RunRequest which;
  which.cancel = options_.cancel;
  for (const auto& [task, mark] : marks_) which.fetches.push_back(mark.is_set);
  WEIR_ASSIGN(const std::vector<Tensor> is_set, session_->Run(which));
  RunRequest read;
  read.cancel = options_.cancel;
  std::vector<std::string> marked;
  size_t i = 0;
  for (const auto& [task, mark] : marks_) {
    if (!is_set[i++].scalar<bool>()) continue;
    read.fetches.push_back(mark.value);
    marked.push_back(task);
  }
  lost_ = tasks_;
  if (marked.empty()) return OkStatus();
  WEIR_ASSIGN(const std::vector<Tensor> values, session_->Run(read));
  for (size_t k = 0; k < marked.size(); ++k) {
    if (!run_id_.empty() && values[k].scalar<std::string>() == run_id_ + " " + marks_[marked[k]].fingerprint)
      lost_.erase(marked[k]);
  }
  return OkStatus();
}

Status RunMarks::Assign(const std::set<std::string>& tasks, bool clear) {
  RunRequest request;
  request.cancel = options_.cancel;
  for (const std::string& task : tasks) {
    const Mark& mark = marks_.at(task);
    request.feeds.push_back({mark.next, Tensor::Scalar(clear ? std::string() : run_id_ + " " + mark.fingerprint)});
    request.targets.push_back(mark.assign);
  }
  if (request.targets.empty()) return OkStatus();
  return session_->Run(request).status();
}

Status RunMarks::Clear(const std::set<std::string>& tasks) { return Assign(tasks, /*clear=*/true); }

Status RunMarks::Set(const std::set<std::string>& tasks) {
  if (options_.directory.empty()) return OkStatus();
  if (run_id_.empty()) {
    const std::string id = fmt::format("{:016x}", RealRng().Next64());
    Status written = options_.env->MakeDirectories(options_.directory);
    if (written.ok()) written = options_.env->WriteFileAtomically(JoinPath(options_.directory, kRunIdFile), id + "\n");
    if (!written.ok()) {
      TrainWarning("Cannot write {} in {}: if the chief is restarted, it will restore the last checkpoint. {}",
                   kRunIdFile, options_.directory, std::string(written.message()));
      return OkStatus();
    }
    run_id_ = id;
  }
  return Assign(tasks, /*clear=*/false);
}

}  // namespace weir
