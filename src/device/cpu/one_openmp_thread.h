// Debian's oneDNN runs on OpenMP. While an object of this class lives, oneDNN's calls of its thread run on that thread
// alone, so that no team ever starts and the split over threads is ours; the caller's setting comes back. Primitives
// are made and run under the same setting.
#ifndef WEIR_DEVICE_CPU_ONE_OPENMP_THREAD_H_
#define WEIR_DEVICE_CPU_ONE_OPENMP_THREAD_H_

// Part of the OpenMP runtime under oneDNN. Declared here because a compiler's own omp.h may be of another runtime.
extern "C" {
int omp_get_max_threads();
void omp_set_num_threads(int);
}

namespace weir {

class OneOpenMpThread final {
 public:
  OneOpenMpThread() : before_(omp_get_max_threads()) {
    if (before_ != 1) omp_set_num_threads(1);
  }
  ~OneOpenMpThread() {
    if (before_ != 1) omp_set_num_threads(before_);
  }
  OneOpenMpThread(const OneOpenMpThread&) = delete;
  OneOpenMpThread& operator=(const OneOpenMpThread&) = delete;

 private:
  const int before_;
};

}  // namespace weir

#endif  // WEIR_DEVICE_CPU_ONE_OPENMP_THREAD_H_
