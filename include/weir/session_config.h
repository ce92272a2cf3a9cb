// SessionConfig: the settings of a session or a server. The names are those of TensorFlow's ConfigProto.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace weir {

struct SessionConfig {
  bool allow_soft_placement = false;  // a node whose device does not exist runs on the CPU
  bool log_device_placement = false;
  int intra_op_parallelism_threads = 0;  // 0: one per core
  int inter_op_parallelism_threads = 0;
  int64_t operation_timeout_in_ms = 0;      // of a step; 0: none
  std::map<std::string, int> device_count;  // {{"CPU", 2}}
  std::vector<std::string> device_filters;  // the devices of a cluster that the session may use
  // A serialized tensorflow.ConfigProto with any other settings. Fields above that differ from their defaults replace
  // those of the message. An error if it cannot be parsed.
  std::string serialized;
};

}  // namespace weir
