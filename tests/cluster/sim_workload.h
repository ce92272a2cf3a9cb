// A workload on a simulated cluster: clients run steps through masters while tasks crash, connections drop and hosts
// are partitioned, and check every value and error. One object is one run of one seed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cluster/sim/sim_cluster.h"

namespace weir {

// The faults of a run.
struct SimFaults {
  int drops = 0;                // connections
  int crashes = 0;              // of tasks, which are restarted
  int crashes_after_reply = 0;  // crashes of a task that has just run its part of a step; restarted at once
  int partitions = 0;           // partitions of two hosts
  bool very_slow = false;
};

struct SimOutcome {
  std::vector<std::string> wrong;  // empty on success
  uint64_t fingerprint = 0;
  int64_t events = 0;
  int64_t nanos = 0;  // simulated
  int steps = 0;      // steps that returned values
  int errors = 0;     // steps that failed
};

// The faults for a seed.
SimFaults FaultsOf(uint64_t seed);
SimOutcome RunSimulation(const OpRegistry& registry, uint64_t seed, const SimFaults& faults, bool tell);

}  // namespace weir
