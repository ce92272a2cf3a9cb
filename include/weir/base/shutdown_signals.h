// ShutdownSignals: while an instance exists, SIGTERM and SIGINT are recorded instead of ending the process, so that the
// program can shut down cleanly. Several instances may coexist; each reports the signals since its construction.
// Destroying the last one restores the previous handlers. Thread-safe. The state is global because signals are
// per process.
#ifndef WEIR_BASE_SHUTDOWN_SIGNALS_H_
#define WEIR_BASE_SHUTDOWN_SIGNALS_H_

namespace weir {

class ShutdownSignals final {
 public:
  ShutdownSignals();
  ~ShutdownSignals();
  ShutdownSignals(const ShutdownSignals&) = delete;
  ShutdownSignals& operator=(const ShutdownSignals&) = delete;
  // Whether a signal has arrived since this object was constructed.
  bool received() const;

 private:
  const int initial_count_;  // the signal count at construction
};

}  // namespace weir

#endif  // WEIR_BASE_SHUTDOWN_SIGNALS_H_
