#include "base/rng.h"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <utility>

#include "base/check.h"
#include "base/this_process.h"

namespace weir {
namespace {

// Each thread fetches numbers in batches. A forked child discards the batch of its parent.
class KernelRng final : public Rng {
 public:
  uint64_t Next64() override {
    thread_local Fetched fetched;
    if (fetched.left == 0 || fetched.process != ThisProcess()) Fetch(fetched);
    return std::exchange(fetched.values[--fetched.left], 0);
  }

 private:
  struct Fetched {
    pid_t process = 0;
    size_t left = 0;
    std::array<uint64_t, 32> values = {};
  };

  static void Fetch(Fetched& fetched) {
    ssize_t got;
    do {  // reads of this size are never partial
      got = getrandom(fetched.values.data(), sizeof(fetched.values), 0);
    } while (got < 0 && errno == EINTR);
    WEIR_CHECK(got == sizeof(fetched.values), got, errno);
    fetched.left = fetched.values.size();
    fetched.process = ThisProcess();
  }
};

}  // namespace

Rng& RealRng() {
  static KernelRng rng;
  return rng;
}

}  // namespace weir
