// A workload on a simulated cluster: clients that run steps through masters while tasks crash, connections drop and
// hosts are cut off, and that check every value and every error they get. One object is one run of one seed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cluster/sim/sim_cluster.h"

namespace weir {

// What a seed may do to the cluster.
struct SimFaults {
  int drops = 0;     // connections
  int crashes = 0;   // of tasks, which come back
  int ambushes = 0;  // crashes of a task that has just done its part of a step; it is back at once
  int cuts = 0;      // between two hosts
  bool very_slow = false;
};

struct SimOutcome {
  std::vector<std::string> wrong;  // empty when all is well
  uint64_t fingerprint = 0;
  int64_t events = 0;
  int64_t nanos = 0;  // simulated
  int steps = 0;      // that gave a value
  int errors = 0;     // steps that gave an error
};

// The faults that a seed has.
SimFaults FaultsOf(uint64_t seed);
SimOutcome RunSimulation(const OpRegistry& registry, uint64_t seed, const SimFaults& faults, bool tell);

}  // namespace weir
