// Runs a test over and over, with a fault of the disk at the first operation that it does, at the second, and so on,
// until there is no operation left to fail.
#pragma once

#include <gmock/gmock.h>

#include <atomic>
#include <functional>
#include <string>

#include "base/env_fake.h"

namespace weir {

enum class DiskFault {
  kOnce,  // one operation fails
  kDead,  // one fails, and all after it
  kFull,  // so many bytes have room
};
constexpr DiskFault kDiskFaults[] = {DiskFault::kOnce, DiskFault::kDead, DiskFault::kFull};

class FaultyDisk final {
 public:
  FaultyDisk(DiskFault kind, int n) : kind_(kind), n_(n) {}
  FakeEnv& env() { return env_; }
  DiskFault kind() const { return kind_; }
  // From here on, until Mend, the disk has its fault.
  void Break() {
    if (kind_ == DiskFault::kFull) {
      constexpr uint64_t kStep = 61;
      env_.capacity = env_.used_bytes() + static_cast<uint64_t>(n_) * kStep;
      return;
    }
    env_.fault = [this](std::string_view operation, const std::string& path) {
      const int number = operations_++;
      if (number < n_ || (number > n_ && kind_ == DiskFault::kOnce)) return OkStatus();
      if (number == n_) failed_ = fmt::format("{} {}", operation, path);
      return DataLoss("cannot {} {}: input/output error", operation, path);
    };
  }
  void Mend() {
    env_.fault = nullptr;
    env_.capacity = std::numeric_limits<uint64_t>::max();
  }
  bool had_fault() const { return kind_ == DiskFault::kFull ? env_.was_full.load() : operations_ > n_; }
  const std::string& failed() const { return failed_; }  // the first operation that has failed; empty for kFull
  // That an error is one of this disk and names a file whose name has `file` in it.
  void ExpectTold(const Status& status, const std::string& file) const {
    EXPECT_EQ(status.code(), kind_ == DiskFault::kFull ? StatusCode::kResourceExhausted : StatusCode::kDataLoss)
        << status;
    EXPECT_THAT(std::string(status.message()), testing::HasSubstr(file));
  }

 private:
  const DiskFault kind_;
  const int n_;
  std::atomic<int> operations_ = 0;
  std::string failed_;
  FakeEnv env_;
};

// `body` calls Break and Mend.
inline void WithEveryFault(DiskFault kind, const std::function<void(FaultyDisk&)>& body) {
  for (int n = 0;; ++n) {
    FaultyDisk disk(kind, n);
    body(disk);
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << "fault " << n << " of kind " << static_cast<int>(kind) << ": " << disk.failed();
      return;
    }
    if (!disk.had_fault()) return;
    ASSERT_LT(n, 3000);
  }
}

// The names in a directory that are of files on their way to another name.
inline std::vector<std::string> TemporaryNames(FakeEnv& env, const std::string& directory) {
  std::vector<std::string> names;
  for (const std::string& name : env.List(directory).value_or(std::vector<std::string>())) {
    if (name.find("temp") != std::string::npos || name.find(".tmp") != std::string::npos) names.push_back(name);
  }
  return names;
}

}  // namespace weir
