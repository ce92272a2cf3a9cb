#include "op/resource.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace weir {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class Counter final : public Resource {
 public:
  explicit Counter(std::atomic<int>* gone = nullptr) : gone_(gone) {}
  ~Counter() override {
    if (gone_ != nullptr) ++*gone_;
  }
  std::string DebugString() const override { return "a counter"; }

 private:
  std::atomic<int>* gone_;
};

constexpr auto kMakeVariable = []() -> Result<ResourcePtr<VariableState>> {
  return MakeIntrusive<VariableState>(kFloat);
};

TEST(VariableStateTest, ReadsShareAndSnapshotsDoNot) {
  auto v = MakeIntrusive<VariableState>(kFloat);
  EXPECT_FALSE(v->initialized());
  EXPECT_FALSE(v->Read().valid());
  EXPECT_EQ(v->Snapshot().status().code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(v->DebugString(), "variable of float32, uninitialized");
  v->Write(Tensor::Vector({1.f, 2.f}));
  EXPECT_TRUE(v->initialized());
  EXPECT_EQ(v->DebugString(), "variable of float32 [2]");
  const Tensor alias = v->Read();
  const Tensor copy = *v->Snapshot();
  v->value_locked().data<float>()[0] = 5;
  EXPECT_EQ(alias.data<float>()[0], 5);
  EXPECT_EQ(copy.data<float>()[0], 1);
  v->Write(Tensor::Vector({7.f}));
  EXPECT_EQ(alias.data<float>()[0], 5);
}

TEST(ResourceManagerTest, CreatesFindsAndDeletes) {
  ResourceManager manager;
  EXPECT_THAT(manager.Lookup<Counter>("", "c").status().message(), AllOf(HasSubstr("'c'"), HasSubstr("'localhost'")));
  EXPECT_EQ(manager.Lookup<Counter>("", "c").status().code(), StatusCode::kNotFound);
  auto counter = MakeIntrusive<Counter>();
  ASSERT_TRUE(manager.Create("", "c", counter).ok());
  EXPECT_EQ(manager.Create("localhost", "c", counter).code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(manager.Lookup<Counter>("localhost", "c")->get(), counter.get());
  EXPECT_EQ(manager.Lookup<Counter>("other", "c").status().code(), StatusCode::kNotFound);
  const Status wrong = manager.Lookup<VariableState>("", "c").status();
  EXPECT_EQ(wrong.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(wrong.message(), AllOf(HasSubstr("'c'"), HasSubstr("'localhost'"), HasSubstr("a counter")));
  EXPECT_FALSE(manager.LookupOrCreate<VariableState>("", "c", kMakeVariable).ok());
  ASSERT_TRUE(manager.Delete("", "c").ok());
  EXPECT_EQ(manager.Delete("", "c").code(), StatusCode::kNotFound);
}

TEST(ResourceManagerTest, FailedCreationLeavesNothing) {
  ResourceManager manager;
  auto fail = []() -> Result<ResourcePtr<VariableState>> { return Internal("no"); };
  EXPECT_EQ(manager.LookupOrCreate<VariableState>("a", "v", fail).status().code(), StatusCode::kInternal);
  EXPECT_TRUE(manager.LookupOrCreate<VariableState>("a", "v", kMakeVariable).ok());
}

TEST(ResourceManagerTest, ClearingContainersReleasesResources) {
  std::atomic<int> gone{0};
  ResourceManager manager;
  ASSERT_TRUE(manager.Create("", "a", MakeIntrusive<Counter>(&gone)).ok());
  ASSERT_TRUE(manager.Create("x", "a", MakeIntrusive<Counter>(&gone)).ok());
  ASSERT_TRUE(manager.Create("x", "b", MakeIntrusive<Counter>(&gone)).ok());
  {
    auto held = *manager.Lookup<Counter>("x", "a");
    manager.ClearContainer("x");
    EXPECT_EQ(gone, 1);
  }
  EXPECT_EQ(gone, 2);
  manager.ClearContainer("y");
  manager.ClearAll();
  EXPECT_EQ(gone, 3);
  EXPECT_FALSE(manager.Lookup<Counter>("", "a").ok());
}

TEST(ResourceManagerTest, ConcurrentLookupsCreateOneResource) {
  ResourceManager manager;
  std::atomic<int> made{0};
  std::vector<std::thread> threads;
  std::vector<Resource*> seen(8);
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      auto found = manager.LookupOrCreate<VariableState>("", "v", [&]() -> Result<ResourcePtr<VariableState>> {
        ++made;
        return MakeIntrusive<VariableState>(kFloat);
      });
      seen[t] = found->get();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 1);
  for (Resource* r : seen) EXPECT_EQ(r, seen[0]);
}

}  // namespace
}  // namespace weir
