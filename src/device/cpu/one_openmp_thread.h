// Debian's oneDNN uses OpenMP. While a OneOpenMpThread exists, oneDNN calls on the current thread use that thread only:
// no OpenMP team starts, and Weir does the split over threads. The destructor restores the previous setting. oneDNN
// primitives must be created and run under the same setting.
#ifndef WEIR_DEVICE_CPU_ONE_OPENMP_THREAD_H_
#define WEIR_DEVICE_CPU_ONE_OPENMP_THREAD_H_

// From the OpenMP runtime that oneDNN uses. Declared here because the compiler's omp.h may belong to another runtime.
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
