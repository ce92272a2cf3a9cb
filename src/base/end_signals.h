// EndSignals: while an instance exists, SIGTERM and SIGINT are recorded instead of ending the process, so that the
// program can shut down cleanly. Several instances may coexist; each reports the signals since its construction.
// Destroying the last one restores the previous handlers. Thread-safe. The state is global because signals are
// per process.
#ifndef WEIR_BASE_END_SIGNALS_H_
#define WEIR_BASE_END_SIGNALS_H_

namespace weir {

class EndSignals final {
 public:
  EndSignals();
  ~EndSignals();
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;
  // Whether a signal has arrived since this object was constructed.
  bool received() const;

 private:
  const int before_;  // the signal count at construction
};

}  // namespace weir

#endif  // WEIR_BASE_END_SIGNALS_H_
