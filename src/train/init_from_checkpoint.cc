#include "train/init_from_checkpoint.h"

#include "graph/build/io_ops.h"
#include "io/checkpoint_reader.h"
#include "train/checkpoint_state.h"
#include "train/saver_graph.h"

namespace weir {
namespace {

class Assigner {
 public:
  Assigner(Graph& graph, std::string prefix, std::unique_ptr<io::CheckpointReader> reader, SavedVariables known)
      : graph_(graph), prefix_(std::move(prefix)), reader_(std::move(reader)), known_(std::move(known)) {}

  Status Assign(const CheckpointAssignment& assignment) {
    if (!assignment.variables.empty()) return AssignOne(assignment.saved, assignment.variables);
    if (const auto at = known_.find(assignment.name); at != known_.end())
      return AssignOne(assignment.saved, at->second);
    return AssignScope(assignment.saved, assignment.name);
  }

 private:
  Status AssignScope(const std::string& saved, const std::string& name) {
    const std::string scope = name.substr(0, name.rfind('/') + 1);  // with its slash; "" and "/" mean all
    if (scope.empty() && !name.empty())
      return InvalidArgument("there is no variable '{}' to initialize from '{}' of the checkpoint", name, saved);
    if (!saved.ends_with('/'))
      return InvalidArgument(
          "Assignment map with scope only name {} should map to scope only {}. Should be 'scope/': 'other_scope/'.",
          name, saved);
    bool any = false;
    for (const auto& [full, variables] : known_) {
      if (scope != "/" && !full.starts_with(scope)) continue;
      const std::string rest = scope == "/" ? full : full.substr(scope.size());
      WEIR_TRY(AssignOne(saved == "/" ? rest : saved + rest, variables));
      any = true;
    }
    if (!any) return InvalidArgument("there are no variables in the scope '{}'", name);
    return OkStatus();
  }

  Status AssignOne(const std::string& saved, const std::vector<VariablePtr>& variables) {
    const Result<io::SavedTensor> tensor = reader_->Find(saved);
    if (!tensor.ok()) return InvalidArgument("Tensor {} is not found in checkpoint {}", saved, prefix_);
    for (const VariablePtr& v : variables) {
      std::string spec;
      PartialShape whole = v->shape();
      if (v->slice.has_value()) {
        spec = SliceSpec(*v->slice);
        WEIR_ASSIGN(whole, PartialShape::Make(v->slice->full_shape));
      }
      if (!whole.CompatibleWith(tensor->shape))
        return InvalidArgument(
            "Shape of variable {} ({}) doesn't match with shape of tensor {} ({}) from checkpoint reader.", v->name(),
            whole, saved, tensor->shape);
      WEIR_TRY(SetInitializer(*v, saved, spec));
    }
    return OkStatus();
  }

  Status SetInitializer(const Variable& v, const std::string& saved, const std::string& spec) {
    if (v.initializer()->num_inputs() != 2)
      return InvalidArgument("the initializer of variable {} assigns no value", v.name());
    ControlDependencies outside = ControlDependencies::Cleared(graph_);
    DeviceScope with_variable(graph_, v.device());
    DeviceScope on_cpu(graph_, "/device:CPU:0");
    const OutputList read =
        RestoreV2(graph_, prefix_, Tensor::Vector<std::string>({saved}), Tensor::Vector<std::string>({spec}),
                  {v.dtype()}, {.name = "checkpoint_initializer"});
    WEIR_TRY(graph_.TakeError());
    WEIR_TRY(graph_.SetShape(read[0], v.shape()));
    return graph_.UpdateInput(v.initializer(), 1, read[0]);
  }

  Graph& graph_;
  const std::string prefix_;
  const std::unique_ptr<io::CheckpointReader> reader_;
  const SavedVariables known_;
};

}  // namespace

Status InitFromCheckpoint(Graph& graph, Env& env, const std::string& source,
                          const std::vector<CheckpointAssignment>& assignments) {
  std::string prefix = source;
  if (const Result<FileInfo> info = env.Stat(source); info.ok() && info->is_directory) {
    WEIR_ASSIGN(const std::optional<std::string> latest, LatestCheckpoint(env, source));
    if (!latest.has_value())
      return InvalidArgument("Couldn't find 'checkpoint' file or checkpoints in given directory {}", source);
    prefix = *latest;
  }
  WEIR_ASSIGN(std::unique_ptr<io::CheckpointReader> reader, io::OpenCheckpoint(env, prefix));
  WEIR_ASSIGN(SavedVariables known, VariablesBySavedName(GlobalVariables(graph)));
  Assigner assigner(graph, prefix, std::move(reader), std::move(known));
  for (const CheckpointAssignment& assignment : assignments) WEIR_TRY(assigner.Assign(assignment));
  return OkStatus();
}

}  // namespace weir
