// EndSignals: while one lives, SIGTERM and SIGINT do not end the process: they are noted, for whoever waits for them to
// end well. Several may live at a time, and each sees the signals of its time; with the last one the handling of before
// is back. Thread-safe. It is the one thing here that belongs to the process, because signals do.
#ifndef WEIR_BASE_END_SIGNALS_H_
#define WEIR_BASE_END_SIGNALS_H_

namespace weir {

class EndSignals final {
 public:
  EndSignals();
  ~EndSignals();
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;
  // Whether one has come since this was made.
  bool received() const;

 private:
  const int before_;  // how many had come when it was made
};

}  // namespace weir

#endif  // WEIR_BASE_END_SIGNALS_H_
