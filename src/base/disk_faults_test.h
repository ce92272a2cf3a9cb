// Runs a test repeatedly. The disk fails at the first operation of the first run, at the second operation of the second
// run, and so on, until a run ends without a fault.
#pragma once

#include <gmock/gmock.h>

#include <atomic>
#include <functional>
#include <string>

#include "base/env_fake.h"

namespace weir {

enum class DiskFault {
  kOnce,  // one operation fails
  kDead,  // one operation and all later ones fail
  kFull,  // the disk has room for a limited number of bytes
};
constexpr DiskFault kDiskFaults[] = {DiskFault::kOnce, DiskFault::kDead, DiskFault::kFull};

class FaultyDisk final {
 public:
  FaultyDisk(DiskFault kind, int n) : kind_(kind), n_(n) {}
  FakeEnv& env() { return env_; }
  DiskFault kind() const { return kind_; }
  // Makes the disk fail until Repair.
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
  void Repair() {
    env_.fault = nullptr;
    env_.capacity = std::numeric_limits<uint64_t>::max();
  }
  bool had_fault() const { return kind_ == DiskFault::kFull ? env_.was_full.load() : operations_ > n_; }
  const std::string& failed() const { return failed_; }  // the first operation that has failed; empty for kFull
  // Expects an error of this disk that names a file whose name contains `file`.
  void ExpectReported(const Status& status, const std::string& file) const {
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

// `body` calls Break and Repair.
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

// The names of temporary files in a directory.
inline std::vector<std::string> TemporaryNames(FakeEnv& env, const std::string& directory) {
  std::vector<std::string> names;
  for (const std::string& name : env.List(directory).value_or(std::vector<std::string>())) {
    if (name.find("temp") != std::string::npos || name.find(".tmp") != std::string::npos) names.push_back(name);
  }
  return names;
}

}  // namespace weir
