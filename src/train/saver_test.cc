// Savers in local sessions: saving and restoring, deletion of old checkpoints, and savers in meta graphs.
#include "train/saver.h"

#include <unistd.h>

#include <filesystem>

#include "base/manual_clock.h"
#include "graph/flow_session_test.h"
#include "io/checkpoint_reader.h"
#include "train/checkpoint_state.h"

namespace weir {
namespace {

using testing::ElementsAre;

class SaverTest : public FlowTest {
 protected:
  SaverTest() : folder_(testing::TempDir() + fmt::format("weir_saver_test_{}", getpid())) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~SaverTest() override { std::filesystem::remove_all(folder_); }

  RunStep Step() {
    return [this](const RunRequest& request) { return Run(request.fetches, request.feeds, request.targets); };
  }
  void Initialize() { ASSERT_TRUE(Run({}, {}, {InitializeVariables(graph(), GlobalVariables(graph()))}).ok()); }
  std::string Path(const std::string& name) const { return folder_ + "/" + name; }

  const std::string folder_;
  VariablePtr v_ = Must(Variable::Make(graph(), Tensor::Vector<float>({1, 2}), {.name = "v"}));
};

TEST_F(SaverTest, SavesAndRestores) {
  const std::shared_ptr<Saver> saver = Must(Saver::Make(graph()));
  EXPECT_EQ(saver->def().restore_op_name(), "save/restore_all");
  Initialize();
  const std::optional<std::string> path = Must(saver->Save(graph(), Step(), Path("m"), {.global_step = 7}));
  ASSERT_EQ(path, Path("m-7"));
  const Output changed = v_->Assign(Tensor::Vector<float>({0, 0}));
  ASSERT_TRUE(Run({}, {}, {changed.node}).ok());
  ASSERT_TRUE(saver->Restore(graph(), Step(), *path).ok());
  EXPECT_THAT(Floats(v_->value()), ElementsAre(1, 2));
  EXPECT_EQ(LatestCheckpoint(RealEnv(), folder_).value(), path);
  EXPECT_EQ(saver->Restore(graph(), Step(), Path("none")).code(), StatusCode::kInvalidArgument);

  Graph other(graph().registry());
  const tensorflow::MetaGraphDef meta = Must(ReadMetaGraphFile(RealEnv(), *path + ".meta"));
  const ImportedMetaGraph imported = Must(ImportMetaGraph(other, meta, {.import_scope = "in"}));
  EXPECT_EQ(imported.scope, "in");
  ASSERT_EQ(GlobalVariables(other).size(), 1u);
  EXPECT_EQ(GlobalVariables(other)[0]->name(), "in/v:0");
  const std::shared_ptr<Saver> again = Must(SaverOfMetaGraph(other, meta, imported.scope));
  EXPECT_EQ(again->def().filename_tensor_name(), "in/save/Const:0");
}

TEST_F(SaverTest, KeepsTheLastAndOneEveryFewHours) {
  ManualClock clock(1'000'000'000'000);
  SaverOptions options;
  options.max_to_keep = 2;
  options.keep_checkpoint_every_n_hours = 1;
  options.clock = &clock;
  const std::shared_ptr<Saver> saver = Must(Saver::Make(graph(), options));
  Initialize();
  for (int step = 0; step < 8; ++step) {
    clock.nanos += int64_t{1'000'000'000} * 60 * 25;
    ASSERT_TRUE(saver->Save(graph(), Step(), Path("m"), {.global_step = step, .write_meta_graph = false}).ok());
  }
  EXPECT_THAT(saver->last_checkpoints(), ElementsAre(Path("m-6"), Path("m-7")));
  std::vector<int> left;
  for (int step = 0; step < 8; ++step)
    if (CheckpointExists(RealEnv(), Path(fmt::format("m-{}", step)))) left.push_back(step);
  EXPECT_THAT(left, ElementsAre(2, 4, 6, 7));  // saved at 75 and 125 minutes: the first ones in a new hour
}

TEST_F(SaverTest, AFailedSaveLeavesTheStateAsItWas) {
  const std::shared_ptr<Saver> saver = Must(Saver::Make(graph()));
  Initialize();
  ASSERT_TRUE(saver->Save(graph(), Step(), Path("m"), {.global_step = 1}).ok());
  const RunStep failing = [](const RunRequest&) -> Result<std::vector<Tensor>> {
    return Unavailable("the task is gone");
  };
  EXPECT_EQ(saver->Save(graph(), failing, Path("m"), {.global_step = 2}).status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(LatestCheckpoint(RealEnv(), folder_).value(), Path("m-1"));
  EXPECT_THAT(saver->last_checkpoints(), ElementsAre(Path("m-1")));
}

TEST_F(SaverTest, ShardsByDevice) {
  VariablePtr w;
  {
    DeviceScope on_other(graph(), "/job:localhost/task:0");
    w = Must(Variable::Make(graph(), Tensor::Vector<float>({3}), {.name = "w"}));
  }
  SaverOptions options;
  options.graph.sharded = true;
  const std::shared_ptr<Saver> saver = Must(Saver::Make(graph(), options));
  Initialize();
  const std::optional<std::string> path = Must(saver->Save(graph(), Step(), Path("m")));
  EXPECT_TRUE(RealEnv().Exists(Path("m.data-00001-of-00002")));
  const auto reader = Must(io::OpenCheckpoint(RealEnv(), *path));
  EXPECT_EQ(Must(reader->Read("v")).data<float>()[1], 2);
  EXPECT_EQ(Must(reader->Read("w")).data<float>()[0], 3);
}

}  // namespace
}  // namespace weir
