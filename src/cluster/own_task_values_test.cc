#include "cluster/own_task_values.h"

#include <gtest/gtest.h>

#include <vector>

namespace weir {
namespace {

TEST(OwnTaskValues, AbortEndsWaitingReceives) {
  const OwnTaskValues::Keys keys = {.delivered = {"a", "b"}, .taken = {}};
  OwnTaskValues values(std::make_shared<const OwnTaskValues::Keys>(keys), nullptr);
  EXPECT_TRUE(values.Delivers("a"));
  EXPECT_FALSE(values.Delivers("c"));
  EXPECT_FALSE(values.Takes("a"));
  std::vector<Status> ends;
  const auto note = [&](const Result<Rendezvous::Value>& value) { ends.push_back(value.status()); };
  values.Deliver("a", Tensor::Scalar(1.0f));
  values.RecvAsync("a", note);
  values.RecvAsync("b", note);
  values.Abort(Aborted("enough"));
  values.Deliver("b", Tensor::Scalar(1.0f));
  EXPECT_EQ(ends, (std::vector<Status>{OkStatus(), Aborted("enough")}));
}

TEST(OwnTaskValues, TheMasterTakesValuesAtOnce) {
  const OwnTaskValues::Keys keys = {.delivered = {}, .taken = {"a"}};
  std::vector<std::string> taken;
  OwnTaskValues values(std::make_shared<const OwnTaskValues::Keys>(keys),
                       [&](const std::string& key, const Tensor&) { taken.push_back(key); });
  EXPECT_TRUE(values.Takes("a"));
  EXPECT_FALSE(values.Takes("b"));
  EXPECT_TRUE(values.Send("a", {Tensor::Scalar(1.0f), false}).ok());
  EXPECT_EQ(values.Send("a", {Tensor(), true}).code(), StatusCode::kInternal);
  EXPECT_EQ(taken, (std::vector<std::string>{"a"}));
}

}  // namespace
}  // namespace weir
