#include "base/rng.h"

#include <sys/random.h>

#include <cerrno>

#include "base/check.h"

namespace weir {
namespace {

class KernelRng final : public Rng {
 public:
  uint64_t Next64() override {
    uint64_t value = 0;
    ssize_t got;
    do {  // reads of this size are never partial
      got = getrandom(&value, sizeof(value), 0);
    } while (got < 0 && errno == EINTR);
    WEIR_CHECK(got == sizeof(value), got, errno);
    return value;
  }
};

}  // namespace

Rng& RealRng() {
  static KernelRng rng;
  return rng;
}

}  // namespace weir
