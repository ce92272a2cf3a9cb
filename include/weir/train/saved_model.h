// Saved models: a directory with tagged meta graphs, their shared variables and the files that they need, for servers
// and other programs to load. The model file is written last: a directory without it is not a model.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "weir/base/env.h"
#include "weir/train/meta_graph.h"
#include "weir/train/saver.h"

namespace weir {

struct SavedMetaGraphOptions {
  std::map<std::string, OptionalMessage<tensorflow::SignatureDef>> signatures = {};
  std::vector<Output> assets = {};       // constants with the paths of files
  const Node* main_op = nullptr;         // run after the model was loaded
  const Node* legacy_init_op = nullptr;  // the same, under the name used by old models
  const Node* train_op = nullptr;
  std::shared_ptr<Saver> saver = nullptr;  // default: a new one for all global variables
  MetaGraphOptions meta_graph = {};
};

// Call AddMetaGraphAndVariables for the first graph, AddMetaGraph for others, then Save. Calls in another order are
// FailedPrecondition errors.
class SavedModelBuilder final {
 public:
  // FailedPrecondition if the directory exists and is not empty.
  static Result<std::unique_ptr<SavedModelBuilder>> Make(std::string directory, Env& env = RealEnv());

  Status AddMetaGraphAndVariables(Graph& graph, const RunStep& run, const std::vector<std::string>& tags,
                                  const SavedMetaGraphOptions& options = {});
  Status AddMetaGraph(Graph& graph, const std::vector<std::string>& tags, const SavedMetaGraphOptions& options = {});
  const tensorflow::SavedModel& model() const;
  // Returns the path of the model's file.
  Result<std::string> Save();

  const std::string& directory() const { return directory_; }

 private:
  struct Contents;
  SavedModelBuilder(std::string directory, Env& env);
  // Checks the options, copies the assets and returns the saver to use.
  Result<std::shared_ptr<Saver>> Prepare(Graph& graph, const SavedMetaGraphOptions& options);
  Status SaveAssets(Graph& graph, const SavedMetaGraphOptions& options);
  Status Add(Graph& graph, Saver& saver, const std::vector<std::string>& tags, const SavedMetaGraphOptions& options);

  const std::string directory_;
  Env& env_;
  const std::shared_ptr<Contents> contents_;
  bool has_variables_ = false;
};

// Saves a model for prediction, with its inputs and outputs by name, in one call.
Result<std::string> SavePredictor(Graph& graph, const RunStep& run, const std::string& directory,
                                  const std::map<std::string, Output>& inputs,
                                  const std::map<std::string, Output>& outputs, Env& env = RealEnv());

tensorflow::TensorInfo ToTensorInfo(Output output);

// NotFound if there is no model.
Result<tensorflow::SavedModel> ReadSavedModel(const std::string& directory, Env& env = RealEnv());
// The meta graph with exactly these tags. A NotFound error lists the available tags.
Result<tensorflow::MetaGraphDef> FindMetaGraph(const tensorflow::SavedModel& model, const std::string& directory,
                                               const std::set<std::string>& tags);
// Imports the graph, restores its variables and runs its main op.
Status LoadMetaGraph(Graph& graph, const RunStep& run, const tensorflow::MetaGraphDef& def,
                     const std::string& directory, const ImportMetaGraphOptions& options = {}, Env& env = RealEnv());

namespace saved_model {
inline constexpr char kFile[] = "saved_model.pb";
inline constexpr char kTextFile[] = "saved_model.pbtxt";
inline constexpr char kAssets[] = "assets";
inline constexpr char kVariables[] = "variables/variables";
inline constexpr char kServing[] = "serve";
inline constexpr char kDefaultSignature[] = "serving_default";
inline constexpr char kPredict[] = "tensorflow/serving/predict";
}  // namespace saved_model

}  // namespace weir
