// Ops on a disk that fails at any point: errors name the file, files are complete or absent, and what is read equals
// what was written.
#include "base/disk_faults_test.h"

#include "graph/build/io_ops.h"
#include "graph/build/queue_ops.h"
#include "graph/build/string_ops.h"
#include "graph/compose/dataset.h"
#include "graph/node_builder.h"
#include "io/checkpoint_reader.h"
#include "io/record_file.h"
#include "op/testing.h"
#include "ops/register.h"
#include "runtime/constant_evaluator.h"
#include "runtime/local_session.h"

namespace weir::disk_faults_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const OpRegistry& Ops() {
  static const OpRegistry* const registry = [] {
    auto* made = new OpRegistry;
    ops::RegisterAllOps(*made);
    return made;
  }();
  return *registry;
}

Tensor Text(std::string text) { return Tensor::Scalar(std::move(text)); }
Tensor Texts(std::initializer_list<std::string> texts) { return Tensor::Vector<std::string>(texts); }

Status RunOp(FakeEnv& env, std::string_view op, std::vector<Tensor> inputs, AttrMap attrs = {}) {
  KernelTester tester(Ops(), /*num_threads=*/0);
  tester.set_env(env);
  return tester.Run(op, std::move(inputs), std::move(attrs)).status();
}

// Saves a checkpoint of two tensors with the same value.
Status SaveV2(FakeEnv& env, const std::string& prefix, float value) {
  return RunOp(env, "SaveV2",
               {Text(prefix), Texts({"a", "b"}), Texts({"", ""}), Tensor::Vector<float>({value, value, value}),
                Texts({"text", fmt::format("{}", value)})});
}
Status SaveV1(FakeEnv& env, const std::string& file, float value) {
  return RunOp(env, "Save",
               {Text(file), Texts({"a", "b"}), Tensor::Vector<float>({value, value, value}),
                Texts({"text", fmt::format("{}", value)})});
}
// The same, with each tensor in its own shard.
Status SaveShards(FakeEnv& env, const std::string& prefix, float value) {
  const std::string first = prefix + "_temp/part-00000-of-00002";
  const std::string second = prefix + "_temp/part-00001-of-00002";
  WEIR_TRY(
      RunOp(env, "SaveV2", {Text(first), Texts({"a"}), Texts({""}), Tensor::Vector<float>({value, value, value})}));
  WEIR_TRY(RunOp(env, "SaveV2", {Text(second), Texts({"b"}), Texts({""}), Texts({"text", fmt::format("{}", value)})}));
  return RunOp(env, "MergeV2Checkpoints", {Texts({first, second}), Text(prefix)});
}

constexpr float kNotThere = -1;
// Returns the saved value. Fails the test unless the checkpoint is complete or absent.
float Saved(FakeEnv& env, const std::string& prefix) {
  const auto reader = io::OpenCheckpoint(env, prefix);
  if (reader.status().code() == StatusCode::kNotFound) return kNotThere;
  EXPECT_TRUE(reader.ok()) << reader.status();
  if (!reader.ok()) return kNotThere;
  const Result<Tensor> a = (*reader)->Read("a");
  const Result<Tensor> b = (*reader)->Read("b");
  EXPECT_TRUE(a.ok() && b.ok()) << a.status() << b.status();
  if (!a.ok() || !b.ok()) return kNotThere;
  const float value = a->data<float>()[2];
  EXPECT_EQ(b->data<std::string>()[1], fmt::format("{}", value));
  return value;
}

using SaveFn = Status (*)(FakeEnv&, const std::string&, float);

TEST(DiskFaultsTest, ASaveDoesNotDamageThePreviousCheckpoint) {
  for (const SaveFn save : {&SaveV2, &SaveV1, &SaveShards}) {
    for (const DiskFault kind : kDiskFaults) {
      WithEveryFault(kind, [save](FaultyDisk& disk) {
        FakeEnv& env = disk.env();
        ASSERT_TRUE(env.MakeDirectories("/d").ok());
        ASSERT_TRUE(save(env, "/d/m-1", 1).ok());
        disk.Break();
        const Status status = save(env, "/d/m-2", 2);
        disk.Repair();
        env.LoseUnsynced();
        EXPECT_EQ(Saved(env, "/d/m-1"), 1);
        const float value = Saved(env, "/d/m-2");
        if (status.ok()) {
          EXPECT_EQ(value, 2);
        } else {
          EXPECT_TRUE(value == 2 || value == kNotThere) << value;
          disk.ExpectReported(status, "/d");
        }
        env.Age(std::chrono::hours(2));  // younger shards may still be merged
        ASSERT_TRUE(save(env, "/d/m-3", 3).ok());
        EXPECT_EQ(Saved(env, "/d/m-3"), 3);
        EXPECT_EQ(Saved(env, "/d/m-1"), 1);
        EXPECT_THAT(TemporaryNames(env, "/d"), IsEmpty());
      });
    }
  }
}

TEST(DiskFaultsTest, ACheckpointIsReplacedOrUnchanged) {
  for (const SaveFn save : {&SaveV2, &SaveV1, &SaveShards}) {
    for (const DiskFault kind : kDiskFaults) {
      WithEveryFault(kind, [save](FaultyDisk& disk) {
        FakeEnv& env = disk.env();
        ASSERT_TRUE(env.MakeDirectories("/d").ok());
        ASSERT_TRUE(save(env, "/d/m", 1).ok());
        disk.Break();
        const Status status = save(env, "/d/m", 2);
        disk.Repair();
        env.LoseUnsynced();
        const float value = Saved(env, "/d/m");
        if (status.ok()) {
          EXPECT_EQ(value, 2);
        } else {
          disk.ExpectReported(status, "/d");
          // If the disk fails for good between two renames, neither checkpoint is complete.
          const bool may_be_gone = disk.kind() == DiskFault::kDead && save != &SaveV1;
          EXPECT_TRUE(value == 1 || value == 2 || (may_be_gone && value == kNotThere)) << value;
        }
        env.Age(std::chrono::hours(2));
        ASSERT_TRUE(save(env, "/d/m", 3).ok());
        EXPECT_EQ(Saved(env, "/d/m"), 3);
        EXPECT_THAT(TemporaryNames(env, "/d"), IsEmpty());
      });
    }
  }
}

// The machine stops at any operation, before or after it wrote its directories.
TEST(DiskFaultsTest, ACrashDuringASaveDoesNotDamageThePreviousCheckpoint) {
  for (const SaveFn save : {&SaveV2, &SaveV1, &SaveShards}) {
    for (const bool loses_names : {false, true}) {
      WithEveryFault(DiskFault::kDead, [=](FaultyDisk& disk) {
        FakeEnv& env = disk.env();
        ASSERT_TRUE(env.MakeDirectories("/d").ok());
        ASSERT_TRUE(save(env, "/d/m-1", 1).ok());
        disk.Break();
        const Status status = save(env, "/d/m-2", 2);
        disk.Repair();
        loses_names ? env.LoseUnsyncedNames() : env.LoseUnsynced();
        EXPECT_EQ(Saved(env, "/d/m-1"), 1);
        const float value = Saved(env, "/d/m-2");
        EXPECT_TRUE(value == 2 || (!status.ok() && value == kNotThere)) << value;
        env.Age(std::chrono::hours(2));
        ASSERT_TRUE(save(env, "/d/m-3", 3).ok());
        EXPECT_EQ(Saved(env, "/d/m-3"), 3);
        EXPECT_EQ(Saved(env, "/d/m-1"), 1);
        EXPECT_THAT(TemporaryNames(env, "/d"), IsEmpty());
      });
    }
  }
}

TEST(DiskFaultsTest, ACheckpointThatIsReplacedDuringACrashIsWholeOrAbsent) {
  for (const SaveFn save : {&SaveV2, &SaveV1, &SaveShards}) {
    for (const bool loses_names : {false, true}) {
      WithEveryFault(DiskFault::kDead, [=](FaultyDisk& disk) {
        FakeEnv& env = disk.env();
        ASSERT_TRUE(env.MakeDirectories("/d").ok());
        ASSERT_TRUE(save(env, "/d/m", 1).ok());
        disk.Break();
        const Status status = save(env, "/d/m", 2);
        disk.Repair();
        loses_names ? env.LoseUnsyncedNames() : env.LoseUnsynced();
        const float value = Saved(env, "/d/m");
        if (status.ok()) {
          EXPECT_EQ(value, 2);
        } else {
          EXPECT_TRUE(value == 1 || value == 2 || (save != &SaveV1 && value == kNotThere)) << value;
        }
        env.Age(std::chrono::hours(2));
        ASSERT_TRUE(save(env, "/d/m", 3).ok());
        EXPECT_EQ(Saved(env, "/d/m"), 3);
        EXPECT_THAT(TemporaryNames(env, "/d"), IsEmpty());
      });
    }
  }
}

TEST(DiskFaultsTest, ACheckpointIsRestoredOrAnErrorReported) {
  for (const SaveFn save : {&SaveV2, &SaveV1}) {
    for (const DiskFault kind : {DiskFault::kOnce, DiskFault::kDead}) {
      WithEveryFault(kind, [save](FaultyDisk& disk) {
        FakeEnv& env = disk.env();
        ASSERT_TRUE(env.MakeDirectories("/d").ok());
        ASSERT_TRUE(save(env, "/d/m", 1).ok());
        disk.Break();
        KernelTester tester(Ops(), 0);
        tester.set_env(env);
        const auto values = tester.Run("RestoreV2", {Text("/d/m"), Texts({"a", "b"}), Texts({"", ""})},
                                       {{"dtypes", AttrValue(std::vector<DType>{kFloat, kString})}});
        disk.Repair();
        if (values.ok()) {
          EXPECT_EQ((*values)[0].data<float>()[2], 1);
        } else {
          disk.ExpectReported(values.status(), "/d/m");
        }
      });
    }
  }
}

TEST(DiskFaultsTest, TruncatedFilesAreDataLoss) {
  FakeEnv env;
  ASSERT_TRUE(env.MakeDirectories("/d").ok());
  ASSERT_TRUE(SaveV2(env, "/d/m", 1).ok());
  uint64_t most = 0;
  const std::vector<std::string> names = env.List("/d").value();
  for (const std::string& name : names) most = std::max(most, env.Stat("/d/" + name)->size);
  for (env.readable_bytes = 0; env.readable_bytes < most; ++env.readable_bytes) {
    const Status status = RunOp(env, "RestoreV2", {Text("/d/m"), Texts({"a", "b"}), Texts({"", ""})},
                                {{"dtypes", AttrValue(std::vector<DType>{kFloat, kString})}});
    EXPECT_EQ(status.code(), StatusCode::kDataLoss) << env.readable_bytes << " " << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("/d/m."));
  }
}

TEST(DiskFaultsTest, WriteFileReplacesAFileOrLeavesIt) {
  const std::string text(1000, 'n');
  for (const bool exists : {true, false}) {
    for (const DiskFault kind : kDiskFaults) {
      WithEveryFault(kind, [&](FaultyDisk& disk) {
        FakeEnv& env = disk.env();
        ASSERT_TRUE(env.MakeDirectories("/d").ok());
        if (exists) {
          ASSERT_TRUE(env.WriteFile("/d/f", "old").ok());
        }
        disk.Break();
        const Status status = RunOp(env, "WriteFile", {Text("/d/f"), Text(text)});
        disk.Repair();
        const Result<std::string> now = env.ReadFile("/d/f");
        if (status.ok()) {
          EXPECT_EQ(*now, text);
        } else {
          disk.ExpectReported(status, "/d/f");
          EXPECT_EQ(now.value_or("none"), exists ? "old" : "none");
        }
        if (disk.kind() != DiskFault::kDead) {
          EXPECT_THAT(TemporaryNames(env, "/d"), IsEmpty());
        }
        ASSERT_TRUE(RunOp(env, "WriteFile", {Text("/d/f"), Text("last")}).ok());
        EXPECT_EQ(*env.ReadFile("/d/f"), "last");
      });
    }
  }
}

// WriteFile does not wait for the disk. If the machine stops before it has written its directories, the previous file
// remains.
TEST(DiskFaultsTest, ACrashDuringWriteFileLeavesTheOldFile) {
  WithEveryFault(DiskFault::kDead, [&](FaultyDisk& disk) {
    FakeEnv& env = disk.env();
    ASSERT_TRUE(env.MakeDirectories("/d").ok());
    ASSERT_TRUE(env.WriteFileAtomically("/d/f", "old").ok());
    disk.Break();
    RunOp(env, "WriteFile", {Text("/d/f"), Text("new")}).IgnoreError();
    disk.Repair();
    env.LoseUnsyncedNames();
    EXPECT_EQ(*env.ReadFile("/d/f"), "old");
    EXPECT_THAT(TemporaryNames(env, "/d"), IsEmpty());
  });
}

TEST(DiskFaultsTest, WholeFilesAreReadOrAnErrorReported) {
  struct Case {
    const char* op;
    std::vector<Tensor> inputs;
    AttrMap attrs;
  };
  const std::vector<Case> cases = {
      {"ReadFile", {Text("/d/f")}, {}},
      {"MatchingFiles", {Text("/d/*")}, {}},
      {"MatchingFiles", {Text("/d/f")}, {}},
      {"ImmutableConst",
       {},
       {{"dtype", AttrValue(kInt32)},
        {"shape", AttrValue(PartialShape{2})},
        {"memory_region_name", AttrValue(std::string("/d/f"))}}},
  };
  for (const Case& c : cases) {
    FakeEnv whole;
    ASSERT_TRUE(whole.MakeDirectories("/d").ok());
    ASSERT_TRUE(whole.WriteFile("/d/f", "12345678").ok());
    KernelTester tester(Ops(), 0);
    tester.set_env(whole);
    const auto expected = tester.Run(c.op, c.inputs, c.attrs);
    ASSERT_TRUE(expected.ok()) << expected.status();
    WithEveryFault(DiskFault::kOnce, [&](FaultyDisk& disk) {
      ASSERT_TRUE(disk.env().MakeDirectories("/d").ok());
      ASSERT_TRUE(disk.env().WriteFile("/d/f", "12345678").ok());
      disk.Break();
      tester.set_env(disk.env());
      const auto values = tester.Run(c.op, c.inputs, c.attrs);
      if (values.ok()) {
        EXPECT_EQ((*values)[0].SummarizeValue(10), (*expected)[0].SummarizeValue(10)) << c.op;
      } else {
        disk.ExpectReported(values.status(), "/d");
      }
    });
  }
}

// A session whose files are on the disk.
struct DiskSession {
  explicit DiskSession(Env& env)
      : graph(std::make_shared<Graph>(Ops())),
        session(graph, LocalSession::Dependencies{.pool = pool, .blocking_pool = blocking_pool, .env = env}) {
    graph->set_constant_evaluator(MakeLocalConstantEvaluator(env));
  }
  Status RunNode(Node* node) { return session.Run({.targets = {node}}).status(); }
  // The values of a dataset up to its end, and the errors between them.
  struct Outcome {
    std::vector<std::string> values;
    std::vector<Status> errors;
  };
  Outcome Drain(Output fetch) {
    Outcome outcome;
    for (int i = 0; i < 100; ++i) {
      const auto values = session.Run({.fetches = {fetch}});
      if (values.ok()) {
        outcome.values.push_back((*values)[0].scalar<std::string>());
      } else if (values.status().code() == StatusCode::kOutOfRange) {
        return outcome;
      } else {
        outcome.errors.push_back(values.status());
      }
    }
    ADD_FAILURE() << "no end";
    return outcome;
  }
  ThreadPool pool{"test", 2};
  ElasticPool blocking_pool{"test_blocking"};
  const std::shared_ptr<Graph> graph;
  LocalSession session;
};

void WriteInputs(FakeEnv& env) {
  ASSERT_TRUE(env.MakeDirectories("/d").ok());
  ASSERT_TRUE(env.WriteFile("/d/lines-1", "aa\nbb\n").ok());
  ASSERT_TRUE(env.WriteFile("/d/lines-2", "cc\n").ok());
  for (const auto& [path, records] : {std::pair("/d/records-1", std::vector<std::string>{"aa", "bb"}),
                                      std::pair("/d/records-2", std::vector<std::string>{"cc"})}) {
    const auto writer = io::RecordWriter::Open(env, path).value();
    for (const std::string& record : records) ASSERT_TRUE(writer->Write(record).ok());
    ASSERT_TRUE(writer->Close().ok());
  }
}

bool IsSubsequence(const std::vector<std::string>& part, const std::vector<std::string>& all) {
  size_t found = 0;
  for (const std::string& value : all)
    if (found < part.size() && part[found] == value) ++found;
  return found == part.size();
}

struct ReaderCase {
  const char* kind;
  const char* files;
  std::vector<std::string> values;
};
const std::vector<ReaderCase>& ReaderCases() {
  static const auto* const cases = new std::vector<ReaderCase>{
      {"records", "/d/records", {"aa", "bb", "cc"}},
      {"lines", "/d/lines", {"aa", "bb", "cc"}},
      {"fixed", "/d/lines", {"aa\n", "bb\n", "cc\n"}},
      {"whole", "/d/lines", {"aa\nbb\n", "cc\n"}},
  };
  return *cases;
}

Output ReaderOf(Graph& graph, const std::string& kind) {
  if (kind == "records") return TFRecordReaderV2(graph);
  if (kind == "lines") return TextLineReaderV2(graph);
  if (kind == "fixed") return FixedLengthRecordReaderV2(graph, 3);
  return WholeFileReaderV2(graph);
}

TEST(DiskFaultsTest, ReadersReturnTheWrittenRecords) {
  for (const ReaderCase& c : ReaderCases()) {
    WithEveryFault(DiskFault::kOnce, [&](FaultyDisk& disk) {
      WriteInputs(disk.env());
      DiskSession s(disk.env());
      Graph& graph = *s.graph;
      const Output queue = FIFOQueueV2(graph, {kString});
      const std::string files = c.files;
      Node* const fill = QueueEnqueueManyV2(queue, {Constant(graph, Texts({files + "-1", files + "-2"}))});
      Node* const close = QueueCloseV2(queue);
      const Output record = ReaderReadV2(ReaderOf(graph, c.kind), queue).value;
      ASSERT_TRUE(graph.TakeError().ok());
      ASSERT_TRUE(s.RunNode(fill).ok());
      ASSERT_TRUE(s.RunNode(close).ok());
      disk.Break();
      const DiskSession::Outcome outcome = s.Drain(record);
      for (const Status& error : outcome.errors) disk.ExpectReported(error, files);
      EXPECT_EQ(outcome.errors.size(), disk.had_fault() ? 1u : 0u) << c.kind;
      EXPECT_TRUE(IsSubsequence(outcome.values, c.values)) << c.kind << ": " << testing::PrintToString(outcome.values);
      // A file that cannot be opened is skipped. A file that fails while it is read is read again.
      const bool reads_again = disk.failed().starts_with("read") && std::string_view(c.kind) != "whole";
      if (reads_again || !disk.had_fault()) {
        EXPECT_EQ(outcome.values, c.values) << c.kind;
      }
    });
  }
}

TEST(DiskFaultsTest, DatasetsReturnTheWrittenRecords) {
  for (const ReaderCase& c : ReaderCases()) {
    if (std::string_view(c.kind) == "whole") continue;
    WithEveryFault(DiskFault::kOnce, [&](FaultyDisk& disk) {
      WriteInputs(disk.env());
      DiskSession s(disk.env());
      Graph& graph = *s.graph;
      const std::string kind = c.kind;
      const std::string path = c.files;
      const Output files = Constant(graph, Texts({path + "-1", path + "-2"}));
      const int64_t none = 0;
      const Dataset dataset = kind == "records" ? Dataset::Records(graph, files, "", none)
                              : kind == "lines"
                                  ? Dataset::TextLines(graph, files, "", none)
                                  : Dataset::FixedLengthRecords(graph, files, int64_t{3}, none, none, none, "");
      const DatasetIterator iterator = DatasetIterator::FromStructure(graph, dataset.element());
      Node* const begin = iterator.MakeInitializer(dataset);
      const Output next = iterator.GetNext()[0];
      ASSERT_TRUE(graph.TakeError().ok());
      ASSERT_TRUE(s.RunNode(begin).ok());
      disk.Break();
      const DiskSession::Outcome outcome = s.Drain(next);
      for (const Status& error : outcome.errors) disk.ExpectReported(error, path);
      EXPECT_EQ(outcome.errors.size(), disk.had_fault() ? 1u : 0u) << kind;
      EXPECT_TRUE(IsSubsequence(outcome.values, c.values)) << kind << ": " << testing::PrintToString(outcome.values);
      disk.Repair();
      ASSERT_TRUE(s.RunNode(begin).ok());
      EXPECT_EQ(s.Drain(next).values, c.values);
    });
  }
}

TEST(DiskFaultsTest, ACacheInFilesIsCompleteOrAbsent) {
  for (const DiskFault kind : kDiskFaults) {
    WithEveryFault(kind, [](FaultyDisk& disk) {
      ASSERT_TRUE(disk.env().MakeDirectories("/d").ok());
      DiskSession s(disk.env());
      Graph& graph = *s.graph;
      const Dataset dataset =
          Dataset::FromTensorSlices(graph, {Constant(graph, Texts({"aa", "bb", "cc"}))}).Cache("/d/cache");
      const DatasetIterator iterator = DatasetIterator::FromStructure(graph, dataset.element());
      Node* const begin = iterator.MakeInitializer(dataset);
      const Output next = iterator.GetNext()[0];
      ASSERT_TRUE(graph.TakeError().ok());
      disk.Break();
      if (s.RunNode(begin).ok()) {
        const bool dead = disk.kind() == DiskFault::kDead;
        const DiskSession::Outcome outcome = dead ? DiskSession::Outcome() : s.Drain(next);
        if (dead) {
          for (int i = 0; i < 5; ++i) (void)s.session.Run({.fetches = {next}});
        }
        for (const Status& error : outcome.errors) disk.ExpectReported(error, "/d");
        EXPECT_TRUE(IsSubsequence(outcome.values, {"aa", "bb", "cc"}));
      }
      disk.Repair();
      for (int pass = 0; pass < 3; ++pass) {  // passes after the first complete one read the cache
        ASSERT_TRUE(s.RunNode(begin).ok());
        const DiskSession::Outcome outcome = s.Drain(next);
        EXPECT_THAT(outcome.errors, IsEmpty());
        EXPECT_THAT(outcome.values, ElementsAre("aa", "bb", "cc"));
      }
    });
  }
}

}  // namespace
}  // namespace weir::disk_faults_test
