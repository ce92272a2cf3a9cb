// Helpers for tests of sessions with the real ops.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "op/op_registry.h"
#include "ops/register.h"

namespace weir {

template <class T>
T Must(Result<T> result) {
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *std::move(result) : T();
}

template <class T>
std::string Message(const Result<T>& result) {
  return std::string(result.status().message());
}

struct AllOps {
  OpRegistry registry;
  AllOps() { ops::RegisterAllOps(registry); }
};

}  // namespace weir
