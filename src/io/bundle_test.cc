// Tests writing and reading of bundles, with a fault at every file operation: a checkpoint is complete or not visible.
#include <gtest/gtest.h>

#include "base/env_fake.h"
#include "io/bundle_writer.h"
#include "io/checkpoint_reader.h"

namespace weir::io {
namespace {

Status Save(Env& env, const std::string& prefix, const std::map<std::string, Tensor>& tensors) {
  WEIR_ASSIGN(const std::unique_ptr<BundleWriter> writer, BundleWriter::Open(env, prefix));
  for (const auto& [name, value] : tensors) WEIR_TRY(writer->Add(name, value));
  return writer->Finish();
}

std::string Show(const Result<Tensor>& value) { return value.ok() ? value->ToString(100) : value.status().ToString(); }

std::map<std::string, Tensor> SomeTensors() {
  return {
      {"a", Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6})},
      {"b/step", Tensor::Scalar<int64_t>(7)},
      {"empty", Tensor::Of<double>({0, 4}, {})},
      {"flags", Tensor::Vector<bool>({true, false})},
      {"half", Tensor::Vector<half>({half(1.5f), half(-2.0f)})},
      {"names", Tensor::Of<std::string>({2, 2}, {"one", "", std::string(300, 'x'), std::string("\0y", 2)})},
      {"no names", Tensor::Of<std::string>({0}, {})},
      {"z", Tensor::Scalar(std::complex<double>(1, -1))},
  };
}

TEST(BundleTest, ReadsWhatItWrote) {
  FakeEnv env;
  const std::map<std::string, Tensor> tensors = SomeTensors();
  ASSERT_TRUE(env.MakeDirectories("/d").ok());
  ASSERT_TRUE(Save(env, "/d/sub/model-1", tensors).ok());
  EXPECT_EQ(env.List("/d/sub").value(), (std::vector<std::string>{"model-1.data-00000-of-00001", "model-1.index"}));
  const auto reader = OpenCheckpoint(env, "/d/sub/model-1");
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ((*reader)->tensors().size(), tensors.size());
  for (const auto& [name, value] : tensors) {
    EXPECT_EQ((*reader)->Find(name)->shape, value.shape()) << name;
    EXPECT_EQ(Show((*reader)->Read(name)), Show(value)) << name;
  }
  const Status missing = (*reader)->Read("c").status();
  EXPECT_EQ(missing.code(), StatusCode::kNotFound);
  EXPECT_EQ(missing.message(), "Key c not found in checkpoint /d/sub/model-1");
  EXPECT_NE(DescribeCheckpoint(**reader).find("a (DT_FLOAT) [2,3]\n"), std::string::npos);
}

TEST(BundleTest, RejectsDuplicateNamesAndUnsupportedTypes) {
  FakeEnv env;
  const auto writer = BundleWriter::Open(env, "/m").value();
  ASSERT_TRUE(writer->Add("a", Tensor::Scalar(1.0f)).ok());
  EXPECT_EQ(writer->Add("a", Tensor::Scalar(1.0f)).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(writer->Add("", Tensor::Scalar(1.0f)).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(writer->Add("r", Tensor::Allocate(kResource, {}).value()).code(), StatusCode::kUnimplemented);
}

TEST(BundleTest, ReadsTensorsSavedAsSlices) {
  FakeEnv env;
  const Shape shape{4, 3};
  {
    const auto writer = BundleWriter::Open(env, "/m").value();
    const auto add = [&](const char* slice, const Tensor& value) {
      return writer->AddSlice("p", shape, TensorSlice::Parse(slice).value(), value);
    };
    ASSERT_TRUE(add("0,2:0,3", Tensor::Of<float>({2, 3}, {0, 1, 2, 3, 4, 5})).ok());
    ASSERT_TRUE(add("2,2:0,3", Tensor::Of<float>({2, 3}, {6, 7, 8, 9, 10, 11})).ok());
    EXPECT_EQ(add("2,2:-", Tensor::Of<float>({1, 3}, {6, 7, 8})).code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(add("3,2:-", Tensor::Of<float>({2, 3}, {6, 7, 8, 9, 10, 11})).code(), StatusCode::kInvalidArgument);
    ASSERT_TRUE(
        writer->AddSlice("half", Shape{2}, TensorSlice::Parse("0,1").value(), Tensor::Vector<int32_t>({1})).ok());
    ASSERT_TRUE(writer->Finish().ok());
  }
  const auto reader = OpenCheckpoint(env, "/m").value();
  EXPECT_EQ(reader->tensors().size(), 2u);
  EXPECT_EQ(Show(reader->Read("p")), Show(Tensor::Of<float>(shape, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})));
  const auto slice = [&](const char* text) { return Show(reader->ReadSlice("p", TensorSlice::Parse(text).value())); };
  EXPECT_EQ(slice("2,2:-"), Show(Tensor::Of<float>({2, 3}, {6, 7, 8, 9, 10, 11})));
  EXPECT_EQ(slice("1,2:1,2"), Show(Tensor::Of<float>({2, 2}, {4, 5, 7, 8})));
  EXPECT_EQ(reader->ReadSlice("p", TensorSlice::Parse("0,5:-").value()).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(reader->Read("half").status().code(), StatusCode::kInvalidArgument);
}

TEST(BundleTest, MergeJoinsShardsAndParts) {
  FakeEnv env;
  ASSERT_TRUE(env.MakeDirectories("/d").ok());
  for (int shard = 0; shard < 2; ++shard) {
    const auto writer = BundleWriter::Open(env, fmt::format("/d/m_temp/part-{:05}-of-00002", shard)).value();
    ASSERT_TRUE(writer->Add(fmt::format("v{}", shard), Tensor::Scalar<int32_t>(shard)).ok());
    const TensorSlice half(std::vector<TensorSlice::Extent>{{.start = shard, .length = 1}});
    ASSERT_TRUE(writer->AddSlice("p", Shape{2}, half, Tensor::Vector<float>({10.0f + static_cast<float>(shard)})).ok());
    ASSERT_TRUE(writer->Finish().ok());
  }
  const std::vector<std::string> parts = {"/d/m_temp/part-00000-of-00002", "/d/m_temp/part-00001-of-00002"};
  ASSERT_TRUE(MergeBundles(env, parts, "/d/m").ok());
  EXPECT_TRUE(env.List("/d/m_temp").value().empty());
  const auto reader = OpenCheckpoint(env, "/d/m").value();
  EXPECT_EQ(Show(reader->Read("v0")), Show(Tensor::Scalar<int32_t>(0)));
  EXPECT_EQ(Show(reader->Read("v1")), Show(Tensor::Scalar<int32_t>(1)));
  EXPECT_EQ(Show(reader->Read("p")), Show(Tensor::Vector<float>({10, 11})));
  EXPECT_EQ(MergeBundles(env, parts, "/d/n").code(), StatusCode::kInvalidArgument);
  ASSERT_TRUE(Save(env, "/d/x", {{"v", Tensor::Scalar(1.0f)}}).ok());
  ASSERT_TRUE(Save(env, "/d/y", {{"v", Tensor::Scalar(2.0f)}}).ok());
  EXPECT_EQ(MergeBundles(env, {"/d/x", "/d/y"}, "/d/z").code(), StatusCode::kInvalidArgument);
}

TEST(BundleTest, EveryDamagedByteIsFound) {
  FakeEnv env;
  const std::map<std::string, Tensor> tensors = {{"a", Tensor::Vector<float>({1, 2})},
                                                 {"s", Tensor::Vector<std::string>({"one", "two"})}};
  ASSERT_TRUE(Save(env, "/m", tensors).ok());
  for (const std::string& file : {BundleDataName("/m", 0, 1), BundleIndexName("/m")}) {
    const std::string bytes = env.ReadFile(file).value();
    for (size_t i = 0; i < bytes.size() + 1; ++i) {
      std::string damaged = bytes;
      if (i < bytes.size()) {
        damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
      } else {
        damaged.resize(bytes.size() / 2);
      }
      ASSERT_TRUE(env.WriteFile(file, damaged).ok());
      Status status;
      if (const auto reader = OpenCheckpoint(env, "/m"); !reader.ok()) {
        status = reader.status();
      } else {
        for (const auto& [name, value] : tensors) {
          const Result<Tensor> read = (*reader)->Read(name);
          if (read.ok()) {
            EXPECT_EQ(Show(read), Show(value)) << file << " " << i;
          }
          status.Update(read.status());
        }
      }
      if (file == BundleDataName("/m", 0, 1)) {
        EXPECT_FALSE(status.ok()) << i;
      }
      if (!status.ok()) {
        EXPECT_EQ(status.code(), StatusCode::kDataLoss) << status;
        EXPECT_NE(status.message().find("offset"), absl::string_view::npos) << status;
      }
    }
    ASSERT_TRUE(env.WriteFile(file, bytes).ok());
  }
  ASSERT_TRUE(env.DeleteFile(BundleDataName("/m", 0, 1)).ok());
  EXPECT_EQ(OpenCheckpoint(env, "/m").value()->Read("a").status().code(), StatusCode::kDataLoss);
  ASSERT_TRUE(env.DeleteFile(BundleIndexName("/m")).ok());
  EXPECT_EQ(OpenCheckpoint(env, "/m").status().code(), StatusCode::kNotFound);
}

// After a failure of the n-th file operation, a reader must see the old values, the new values, or no checkpoint.
TEST(BundleTest, FaultLeavesACompleteCheckpointOrNone) {
  for (const bool sharded : {false, true}) {
    for (const bool crash : {false, true}) {  // after a crash all later operations fail, including cleanup
      for (int n = 0;; ++n) {
        FakeEnv env;
        ASSERT_TRUE(env.MakeDirectories("/d/t").ok());
        ASSERT_TRUE(Save(env, "/d/m", {{"a", Tensor::Scalar(1.0f)}, {"b", Tensor::Scalar(1.0f)}}).ok());
        int left = n;
        env.fault = [&](std::string_view operation, const std::string& path) {
          if (operation == "find") return OkStatus();
          if (left-- == 0 || (crash && left < 0)) return DataLoss("cannot {} {}", operation, path);
          return OkStatus();
        };
        Status status;
        if (sharded) {
          status.Update(Save(env, "/d/t/x", {{"a", Tensor::Scalar(2.0f)}}));
          status.Update(Save(env, "/d/t/y", {{"b", Tensor::Scalar(2.0f)}}));
          if (status.ok()) status = MergeBundles(env, {"/d/t/x", "/d/t/y"}, "/d/m");
        } else {
          status = Save(env, "/d/m", {{"a", Tensor::Scalar(2.0f)}, {"b", Tensor::Scalar(2.0f)}});
        }
        env.fault = nullptr;
        const auto reader = OpenCheckpoint(env, "/d/m");
        if (status.ok()) {
          ASSERT_TRUE(reader.ok()) << reader.status();
        }
        if (reader.ok()) {
          const Result<Tensor> a = (*reader)->Read("a");
          const Result<Tensor> b = (*reader)->Read("b");
          ASSERT_TRUE(a.ok() && b.ok()) << n << ": " << a.status() << b.status();
          EXPECT_EQ(a->scalar<float>(), b->scalar<float>()) << n;
          if (status.ok()) {
            EXPECT_EQ(a->scalar<float>(), 2.0f);
          }
        } else {
          EXPECT_EQ(reader.status().code(), StatusCode::kNotFound) << n << ": " << reader.status();
          EXPECT_TRUE(crash) << n << ": what was there before the fault is gone";
        }
        if (!crash && !sharded) {
          const std::vector<std::string> names = env.List("/d").value();
          for (const std::string& name : names)
            EXPECT_EQ(name.find("tempstate"), std::string::npos) << n << ": " << name;
        }
        if (left > 0) break;
        ASSERT_LT(n, 100);
      }
    }
  }
}

TEST(TensorSliceTest, TextAndKeys) {
  EXPECT_EQ(TensorSlice::Parse("0,2:-").value().ToString(), "0,2:-");
  for (const char* bad : {"x", "1", "1,2,3", "-1,2", "1,-2", "0,2:"})
    EXPECT_EQ(TensorSlice::Parse(bad).status().code(), StatusCode::kInvalidArgument) << bad;
  const ShapeAndSlice both = ParseShapeAndSlice("4 3 0,2:-").value();
  EXPECT_EQ(both.shape, (Shape{4, 3}));
  EXPECT_EQ(both.slice_shape, (Shape{2, 3}));
  for (const char* bad : {"", "garbage", "2 x 0,1:-", "2 3 0,1", "2 3 0,5:-", "-2 0,1"})
    EXPECT_EQ(ParseShapeAndSlice(bad).status().code(), StatusCode::kInvalidArgument) << bad;
  // TensorFlow's encoding: a zero, the name with a terminator, the number of axes, starts and lengths.
  EXPECT_EQ(TensorSlice::Parse("0,2:0,300").value().Key("p"), std::string("\0p\0\1\1\2\x80\x82\x80\xc1\x2c", 11));
  EXPECT_EQ(TensorSlice::Full(1).Key("p"), std::string("\0p\0\1\1\1\x80\x7f", 8));
}

}  // namespace
}  // namespace weir::io
