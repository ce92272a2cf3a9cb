// Saved models from C++: saved from one graph and loaded into another; an incomplete directory is not a model.
#include "train/saved_model.h"

#include <unistd.h>

#include <filesystem>

#include "graph/flow_session_test.h"

namespace weir {
namespace {

class SavedModelTest : public FlowTest {
 protected:
  SavedModelTest() : folder_(testing::TempDir() + fmt::format("weir_saved_model_test_{}", getpid())) {
    std::filesystem::remove_all(folder_);
  }
  ~SavedModelTest() override { std::filesystem::remove_all(folder_); }
  RunStep Step() {
    return [this](const RunRequest& request) { return Run(request.fetches, request.feeds, request.targets); };
  }
  const std::string folder_;
};

TEST_F(SavedModelTest, RoundTripsAPredictorWithItsSignature) {
  const VariablePtr w = Must(Variable::Make(graph(), Tensor::Scalar(3.0f), {.name = "w"}));
  const Output y = w->value() * 2.0f;
  ASSERT_TRUE(Run({}, {}, {InitializeVariables(graph(), GlobalVariables(graph()))}).ok());
  const Result<std::string> path = SavePredictor(graph(), Step(), folder_, {}, {{"y", y}});
  ASSERT_TRUE(path.ok()) << path.status();
  EXPECT_EQ(*path, folder_ + "/saved_model.pb");

  const Result<tensorflow::SavedModel> model = ReadSavedModel(folder_);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(FindMetaGraph(*model, folder_, {"train"}).status().code(), StatusCode::kNotFound);
  const Result<tensorflow::MetaGraphDef> def = FindMetaGraph(*model, folder_, {saved_model::kServing});
  ASSERT_TRUE(def.ok()) << def.status();
  EXPECT_EQ(def->signature_def().at(saved_model::kDefaultSignature).outputs().at("y").name(), y.name());
}

TEST_F(SavedModelTest, WithoutItsFileADirectoryIsNoModel) {
  const std::unique_ptr<SavedModelBuilder> builder = *SavedModelBuilder::Make(folder_);
  ASSERT_TRUE(builder->AddMetaGraphAndVariables(graph(), Step(), {"serve"}).ok());
  EXPECT_EQ(ReadSavedModel(folder_).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(builder->AddMetaGraphAndVariables(graph(), Step(), {"serve"}).code(), StatusCode::kFailedPrecondition);
  ASSERT_TRUE(builder->Save().ok());
  EXPECT_TRUE(ReadSavedModel(folder_).ok());
  EXPECT_EQ(SavedModelBuilder::Make(folder_).status().code(), StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace weir
