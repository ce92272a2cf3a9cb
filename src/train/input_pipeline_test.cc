// An input pipeline in C++, from record files to batches.
#include <gmock/gmock.h>

#include <unistd.h>

#include "graph/build/io_ops.h"
#include "graph/build/string_ops.h"
#include "graph/compose/parse.h"
#include "io/record_file.h"
#include "proto/example.pb.h"
#include "runtime/local_session.h"
#include "train/all_ops_test.h"
#include "train/batching.h"
#include "train/input_producers.h"
#include "train/queue_runner.h"
#include "train/saver.h"

namespace weir {
namespace {

using testing::HasSubstr;

class InputPipelineTest : public ::testing::Test {
 protected:
  ~InputPipelineTest() override {
    for (const std::string& path : files_) (void)RealEnv().DeleteFile(path);
  }

  // Writes a record file with Examples for the numbers [begin, end).
  std::string Numbers(int64_t begin, int64_t end) {
    std::string path = JoinPath(testing::TempDir(), fmt::format("input_pipeline_test.{}.{}", ::getpid(), begin));
    auto writer = Must(io::RecordWriter::Open(RealEnv(), path));
    for (int64_t n = begin; n < end; ++n) {
      tensorflow::Example example;
      (*example.mutable_features()->mutable_feature())["n"].mutable_int64_list()->add_value(n);
      EXPECT_TRUE(writer->Write(example.SerializeAsString()).ok());
    }
    EXPECT_TRUE(writer->Close().ok());
    files_.push_back(path);
    return path;
  }

  Graph& graph() { return *graph_; }

  const AllOps ops_;
  const std::shared_ptr<Graph> graph_ = std::make_shared<Graph>(ops_.registry);
  ThreadPool pool_{"test", 2};
  ElasticPool blocking_pool_{"test_blocking"};
  std::shared_ptr<Session> session_ = std::make_shared<LocalSession>(
      graph_, LocalSession::Dependencies{.pool = pool_, .blocking_pool = blocking_pool_, .env = RealEnv()});
  std::vector<std::string> files_;
};

TEST_F(InputPipelineTest, FilesBecomeBatches) {
  const Tensor names = Tensor::Vector<std::string>({Numbers(0, 5), Numbers(5, 10)});
  const Queue files = Must(StringInputProducer(graph(), names, {.num_epochs = 2}));
  const auto [key, record] = ReaderReadV2(graph(), TFRecordReaderV2(graph()), files.queue_ref());
  const ParsedFeatures parsed =
      Must(ParseSingleExample(graph(), record, {{"n", FixedLenFeature{PartialShape::Scalar(), kInt64}}}));
  const BatchValues batch = Must(ShuffleBatch(graph(), {std::get<Output>(parsed.at("n"))}, 4, {.min_after_dequeue = 3},
                                              {.num_threads = 2, .capacity = 8, .allow_smaller_final_batch = true}));
  ASSERT_TRUE(session_->Run({.targets = {InitializeVariables(graph(), LocalVariables(graph()))}}).ok());

  const auto coordinator = std::make_shared<Coordinator>();
  const auto threads = StartQueueRunners(graph(), session_, coordinator);
  std::map<int64_t, int> seen;
  Status end;
  while (end.ok()) {
    const Result<std::vector<Tensor>> numbers = session_->Run({.fetches = {batch[0].dense.output()}});
    end = numbers.status();
    if (end.ok())
      for (const int64_t n : (*numbers)[0].flat<int64_t>()) ++seen[n];
  }
  EXPECT_EQ(end.code(), StatusCode::kOutOfRange) << end;
  coordinator->RequestStop();
  EXPECT_TRUE(coordinator->Join().ok());
  EXPECT_EQ(seen.size(), 10u);
  for (const auto& [n, times] : seen) EXPECT_EQ(times, 2) << n;
}

TEST_F(InputPipelineTest, ReadersTakeFilesFromAWorkQueue) {
  const WorkQueue work = Must(WorkQueue::Make(graph(), Tensor::Vector<std::string>({Numbers(0, 5), Numbers(5, 10)}),
                                              {.num_epochs = 2, .name = "files"}));
  const Queue files = Must(WorkProducer(work));
  const Output size = work.Size();
  const auto [key, record] = ReaderReadV2(graph(), TFRecordReaderV2(graph()), files.queue_ref());
  const ParsedFeatures parsed =
      Must(ParseSingleExample(graph(), record, {{"n", FixedLenFeature{PartialShape::Scalar(), kInt64}}}));
  ASSERT_TRUE(session_->Run({.targets = {InitializeVariables(graph(), GlobalVariables(graph()))}}).ok());

  const auto coordinator = std::make_shared<Coordinator>();
  const auto threads = StartQueueRunners(graph(), session_, coordinator);
  EXPECT_EQ(Must(session_->Run({.fetches = {size}}))[0].scalar<int64_t>(), 4);  // nothing is taken in advance
  std::map<int64_t, int> seen;
  Status end;
  while (end.ok()) {
    const Result<std::vector<Tensor>> number = session_->Run({.fetches = {std::get<Output>(parsed.at("n"))}});
    end = number.status();
    if (end.ok()) ++seen[(*number)[0].scalar<int64_t>()];
  }
  EXPECT_EQ(end.code(), StatusCode::kOutOfRange) << end;
  coordinator->RequestStop();
  EXPECT_TRUE(coordinator->Join().ok());
  EXPECT_EQ(seen.size(), 10u);
  for (const auto& [n, times] : seen) EXPECT_EQ(times, 2) << n;
}

// A worker that sees that the queue's variable is initialized must find what was restored in the queue.
TEST_F(InputPipelineTest, AWorkQueueIsRestoredBeforeItsVariable) {
  const VariablePtr before = Must(Variable::Make(graph(), Tensor::Scalar(1.0f), {.name = "a"}));
  Must(WorkQueue::Make(graph(), Tensor::Vector<std::string>({"x"}), {.name = "q"}));
  const std::shared_ptr<Saver> saver = Must(Saver::Make(graph()));
  std::map<std::string, std::vector<std::string>> after;  // by variable: the types of the nodes before its assignment
  Node* const all = graph().FindNode(saver->def().restore_op_name());
  ASSERT_NE(all, nullptr);
  for (Node* assign : all->control_inputs()) {
    std::vector<std::string>& types = after[assign->input(0).node->name()];
    for (Node* node : assign->control_inputs()) types.push_back(node->type());
  }
  EXPECT_EQ(after["a"], std::vector<std::string>{});
  EXPECT_EQ(after["q"], std::vector<std::string>{});
  EXPECT_EQ(after["q/slices"], std::vector<std::string>{"WorkQueueRestore"});
}

TEST_F(InputPipelineTest, ReportsErrorsAtConstruction) {
  for (const WorkQueueOptions& wrong : {WorkQueueOptions{.num_epochs = 0}, WorkQueueOptions{.num_slices = 1}}) {
    const Result<WorkQueue> queue = WorkQueue::Make(graph(), Tensor::Vector<std::string>({"x", "y"}), wrong);
    EXPECT_EQ(queue.status().code(), StatusCode::kInvalidArgument) << queue.status();
  }
  EXPECT_THAT(Message(Batch(graph(), {}, 4)), HasSubstr("at least one tensor in batch()"));
  EXPECT_THAT(Message(StringInputProducer(graph(), Tensor::Vector<std::string>({}))), HasSubstr("non-null"));
  EXPECT_THAT(Message(LimitEpochs(graph(), 1, 0)), HasSubstr("num_epochs must be > 0"));
  EXPECT_THAT(Message(ParseExample(graph(), Tensor::Vector<std::string>({""}), {})), HasSubstr("Missing"));
}

}  // namespace
}  // namespace weir
