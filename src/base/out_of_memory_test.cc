#include "base/out_of_memory.h"

#include <gtest/gtest.h>

#include <limits>
#include <new>
#include <stdexcept>
#include <vector>

#include "base/status.h"

namespace weir {
namespace {

TEST(OutOfMemory, ContainerExceptionsBecomeResourceExhausted) {
  const auto code_of = [](auto body) { return CatchOutOfMemory("a test", body).code(); };
  // Thrown by hand: under the address sanitizer an allocation failure ends the process instead of throwing.
  EXPECT_EQ(code_of([]() -> Status { throw std::bad_alloc(); }), StatusCode::kResourceExhausted);
  EXPECT_EQ(code_of([]() -> Status {
              std::vector<int64_t> v;
              v.reserve(std::numeric_limits<size_t>::max() / 2);
              return OkStatus();
            }),
            StatusCode::kResourceExhausted);
  EXPECT_EQ(code_of([]() -> Status { throw std::runtime_error("broken"); }), StatusCode::kInternal);
  EXPECT_EQ(code_of([]() -> Status { throw 5; }), StatusCode::kInternal);
  EXPECT_EQ(code_of([]() -> Status { return InvalidArgument("wrong"); }), StatusCode::kInvalidArgument);
}

TEST(OutOfMemory, AnErrorKeepsItsMessage) {
  const Result<int> result = CatchOutOfMemory(
      "a test", []() -> Result<int> { ThrowOutOfMemory(ResourceExhausted("cannot allocate 7 bytes")); });
  EXPECT_EQ(result.status().message(), "cannot allocate 7 bytes");
}

}  // namespace
}  // namespace weir
