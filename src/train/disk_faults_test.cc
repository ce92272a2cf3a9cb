// Savers and event files on a disk that fails at any point: the last good checkpoint stays the latest one, and events
// are lost only if an error was returned.
#include "base/disk_faults_test.h"

#include <algorithm>
#include <set>

#include "graph/compose/variable.h"
#include "io/checkpoint_reader.h"
#include "io/record_file.h"
#include "runtime/local_session.h"
#include "train/all_ops_test.h"
#include "train/checkpoint_state.h"
#include "train/file_writer.h"
#include "train/saver.h"

namespace weir::disk_faults_test {
namespace {

using testing::IsEmpty;

const OpRegistry& Ops() {
  static const AllOps* const ops = new AllOps;
  return ops->registry;
}

// A counter variable and its saver.
struct Training {
  explicit Training(FakeEnv& env, SaverOptions options)
      : graph(std::make_shared<Graph>(Ops())),
        session(graph, LocalSession::Dependencies{.pool = pool, .blocking_pool = blocking_pool, .env = env}) {
    variable = Must(Variable::Make(*graph, Tensor::Scalar(0.0f), {.name = "v"}));
    count = variable->AssignAdd(Tensor::Scalar(1.0f)).node;
    Node* const initialize = InitializeVariables(*graph, GlobalVariables(*graph));
    options.env = &env;
    saver = Must(Saver::Make(*graph, options));
    EXPECT_TRUE(session.Run({.targets = {initialize}}).ok());
  }
  // Sets the variable to `step` and saves it.
  Status SaveStep(int64_t step) {
    EXPECT_TRUE(session.Run({.targets = {count}}).ok());
    return saver->Save(*graph, RunIn(session), "/d/m", {.global_step = step}).status();
  }
  ThreadPool pool{"test", 2};
  ElasticPool blocking_pool{"test_blocking"};
  const std::shared_ptr<Graph> graph;
  LocalSession session;
  VariablePtr variable;
  Node* count = nullptr;
  std::shared_ptr<Saver> saver;
};

float SavedValue(FakeEnv& env, const std::string& prefix) {
  const auto reader = Must(io::OpenCheckpoint(env, prefix));
  return reader == nullptr ? -1 : Must(reader->Read("v")).scalar<float>();
}

TEST(TrainDiskFaultsTest, TheLatestCheckpointIsAlwaysAGoodOne) {
  for (const bool format_v1 : {false, true}) {
    for (const int max_to_keep : {1, 5}) {
      for (const DiskFault kind : kDiskFaults) {
        WithEveryFault(kind, [=](FaultyDisk& disk) {
          FakeEnv& env = disk.env();
          ASSERT_TRUE(env.MakeDirectories("/d").ok());
          SaverOptions options;
          options.max_to_keep = max_to_keep;
          options.graph.format_v1 = format_v1;
          Training training(env, options);
          ASSERT_TRUE(training.SaveStep(1).ok());
          disk.Break();
          const Status status = training.SaveStep(2);
          disk.Repair();
          env.LoseUnsynced();
          if (!status.ok()) disk.ExpectReported(status, "/d");
          const std::optional<std::string> latest = Must(LatestCheckpoint(env, "/d"));
          ASSERT_TRUE(latest == "/d/m-1" || latest == "/d/m-2") << latest.value_or("none");
          if (status.ok()) {
            EXPECT_EQ(latest, "/d/m-2");
          }
          EXPECT_EQ(SavedValue(env, *latest), latest == "/d/m-1" ? 1 : 2);
          if (max_to_keep > 1) {
            EXPECT_EQ(SavedValue(env, "/d/m-1"), 1);
          }
          env.Age(std::chrono::hours(2));
          ASSERT_TRUE(training.SaveStep(3).ok());
          EXPECT_EQ(Must(LatestCheckpoint(env, "/d")), "/d/m-3");
          EXPECT_EQ(SavedValue(env, "/d/m-3"), 3);
          EXPECT_THAT(TemporaryNames(env, "/d"), IsEmpty());
        });
      }
    }
  }
}

// The machine stops at any operation of a save, before or after it wrote its directories.
TEST(TrainDiskFaultsTest, TheLatestCheckpointIsAGoodOneAfterACrash) {
  for (const bool format_v1 : {false, true}) {
    for (const bool loses_names : {false, true}) {
      WithEveryFault(DiskFault::kDead, [=](FaultyDisk& disk) {
        FakeEnv& env = disk.env();
        ASSERT_TRUE(env.MakeDirectories("/d").ok());
        SaverOptions options;
        options.max_to_keep = 1;
        options.graph.format_v1 = format_v1;
        Training training(env, options);
        ASSERT_TRUE(training.SaveStep(1).ok());
        disk.Break();
        const Status status = training.SaveStep(2);
        disk.Repair();
        loses_names ? env.LoseUnsyncedNames() : env.LoseUnsynced();
        const std::optional<std::string> latest = Must(LatestCheckpoint(env, "/d"));
        ASSERT_TRUE(latest == "/d/m-2" || (!status.ok() && latest == "/d/m-1")) << latest.value_or("none");
        EXPECT_EQ(SavedValue(env, *latest), latest == "/d/m-1" ? 1 : 2);
        ASSERT_TRUE(training.SaveStep(3).ok());
        EXPECT_EQ(Must(LatestCheckpoint(env, "/d")), "/d/m-3");
        EXPECT_EQ(SavedValue(env, "/d/m-3"), 3);
      });
    }
  }
}

// A failing disk must not look like an empty directory: a program that starts over would delete the checkpoints.
TEST(TrainDiskFaultsTest, AStateThatCannotBeReadIsAnError) {
  WithEveryFault(DiskFault::kDead, [](FaultyDisk& disk) {
    FakeEnv& env = disk.env();
    ASSERT_TRUE(env.MakeDirectories("/d").ok());
    Training training(env, {});
    ASSERT_TRUE(training.SaveStep(1).ok());
    disk.Break();
    const auto state = GetCheckpointState(env, "/d");
    if (state.ok()) {
      EXPECT_TRUE(state->has_value());
    } else {
      disk.ExpectReported(state.status(), "/d/checkpoint");
    }
    const Status restored = training.saver->Restore(*training.graph, RunIn(training.session), "/d/m-1");
    if (!restored.ok()) disk.ExpectReported(restored, "/d/m-1");
    disk.Repair();
    EXPECT_TRUE(training.saver->Restore(*training.graph, RunIn(training.session), "/d/m-1").ok());
  });
}

TEST(TrainDiskFaultsTest, AMetaGraphThatCannotBeWrittenIsAnError) {
  FakeEnv env;
  ASSERT_TRUE(env.MakeDirectories("/d").ok());
  Training training(env, {});
  env.fault = [](std::string_view operation, const std::string& path) {
    const bool fails = operation == "write" && path.find(".meta") != std::string::npos;
    return fails ? DataLoss("the disk is broken: {}", path) : OkStatus();
  };
  const Status status = training.SaveStep(1);
  EXPECT_EQ(status.code(), StatusCode::kDataLoss);
  EXPECT_NE(status.message().find("/d/m-1.meta"), absl::string_view::npos) << status;
}

// The saver remembers that the first checkpoint is to be deleted, but must not delete the one that replaces it.
TEST(TrainDiskFaultsTest, ACheckpointThatIsSavedAgainIsNotDeleted) {
  FakeEnv env;
  ASSERT_TRUE(env.MakeDirectories("/d").ok());
  SaverOptions options;
  options.max_to_keep = 1;
  Training training(env, options);
  ASSERT_TRUE(training.SaveStep(1).ok());
  env.fault = [](std::string_view operation, const std::string& path) {
    const bool fails = operation == "write" && path.starts_with("/d/checkpoint");
    return fails ? DataLoss("the disk is broken: {}", path) : OkStatus();
  };
  EXPECT_EQ(training.SaveStep(2).code(), StatusCode::kDataLoss);
  env.fault = nullptr;
  ASSERT_TRUE(training.SaveStep(1).ok());
  EXPECT_EQ(Must(LatestCheckpoint(env, "/d")), "/d/m-1");
  EXPECT_EQ(SavedValue(env, "/d/m-1"), 3);
  EXPECT_FALSE(CheckpointExists(env, "/d/m-2"));
}

// The steps of the events that can be read from all event files. Reading a file stops at a torn record.
std::vector<int64_t> StepsOnDisk(FakeEnv& env) {
  std::vector<int64_t> steps;
  for (const std::string& path : Must(env.Match("/logs/events.out.tfevents.*"))) {
    const auto reader = Must(io::RecordReader::Open(env, path));
    for (auto record = reader->Next(); record.ok() && record->has_value(); record = reader->Next()) {
      tensorflow::Event event;
      EXPECT_TRUE(event.ParseFromString(**record));
      if (event.has_summary()) steps.push_back(event.step());
    }
  }
  return steps;
}

TEST(TrainDiskFaultsTest, EventsThatWereFlushedCanBeRead) {
  for (const DiskFault kind : kDiskFaults) {
    WithEveryFault(kind, [](FaultyDisk& disk) {
      FakeEnv& env = disk.env();
      const auto writer = Must(FileWriter::Make("/logs", {.max_queue = 0, .flush_secs = 1e9, .env = &env}));
      std::set<int64_t> flushed;
      const auto add = [&](int64_t first) {
        Status status;
        for (int64_t step = first; step < first + 3; ++step) status.Update(writer->AddSummary({}, step));
        status.Update(writer->Flush());
        if (!status.ok()) {
          disk.ExpectReported(status, "/logs/events");
          return;
        }
        for (int64_t step = first; step < first + 3; ++step) flushed.insert(step);
      };
      add(0);
      disk.Break();
      add(3);
      add(6);
      disk.Repair();
      writer->Flush().IgnoreError();
      add(9);
      add(12);
      EXPECT_TRUE(writer->Close().ok());
      const std::vector<int64_t> found = StepsOnDisk(env);
      for (const int64_t step : flushed)
        EXPECT_EQ(std::count(found.begin(), found.end(), step), 1) << step << " of " << testing::PrintToString(found);
      for (const int64_t step : {0, 9, 14}) EXPECT_TRUE(flushed.contains(step)) << step;
      EXPECT_LE(Must(env.List("/logs")).size(), 3u);  // a full disk is not filled with files
    });
  }
}

// Event files are not synced, so a crash may lose events, but the remaining ones can be read, and later ones are added.
TEST(TrainDiskFaultsTest, EventsCanBeWrittenAndReadAfterACrash) {
  for (const bool loses_names : {false, true}) {
    FakeEnv env;
    auto writer = Must(FileWriter::Make("/logs", {.env = &env}));
    EXPECT_TRUE(writer->AddSummary({}, 1).ok());
    EXPECT_TRUE(writer->Flush().ok());
    loses_names ? env.LoseUnsyncedNames() : env.LoseUnsynced();
    writer = Must(FileWriter::Make("/logs", {.env = &env}));
    EXPECT_TRUE(writer->AddSummary({}, 2).ok());
    EXPECT_TRUE(writer->Close().ok());
    EXPECT_THAT(StepsOnDisk(env), testing::ElementsAre(2));
  }
}

TEST(TrainDiskFaultsTest, AnErrorOfClosingAnEventFileIsReported) {
  for (const DiskFault kind : kDiskFaults) {
    WithEveryFault(kind, [](FaultyDisk& disk) {
      FakeEnv& env = disk.env();
      const auto writer = Must(FileWriter::Make("/logs", {.env = &env}));
      EXPECT_TRUE(writer->AddSummary({}, 1).ok());
      EXPECT_TRUE(writer->Flush().ok());
      disk.Break();
      Status status = writer->AddSummary({}, 2);
      status.Update(writer->Close());
      disk.Repair();
      if (status.ok()) {
        EXPECT_THAT(StepsOnDisk(env), testing::ElementsAre(1, 2));
      } else {
        disk.ExpectReported(status, "/logs/events");
      }
      EXPECT_TRUE(writer->Reopen().ok());
      EXPECT_TRUE(writer->AddSummary({}, 3).ok());
      EXPECT_TRUE(writer->Close().ok());
      const std::vector<int64_t> found = StepsOnDisk(env);
      EXPECT_EQ(std::count(found.begin(), found.end(), 1), 1);
      EXPECT_EQ(std::count(found.begin(), found.end(), 3), 1);
    });
  }
}

}  // namespace
}  // namespace weir::disk_faults_test
