#include "train/device_setter.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_set>

#include "base/md5.h"
#include "tensor/tensor.h"

namespace weir {
namespace {

Status CheckTasks(int64_t num_tasks) {
  if (num_tasks < 1) return InvalidArgument("the number of tasks must be positive, not {}", num_tasks);
  return OkStatus();
}

// The device for a node without a requested device, and how requested devices are merged with it.
struct ReplicaDevices {
  bool has_ps = false;
  DeviceName ps;
  DeviceName worker;
  bool merge = true;
  std::unordered_set<std::string> ps_ops;
  PsStrategy strategy;

  Result<std::string> Choose(Node& node) const {
    if (!merge && !node.device().empty()) return node.device();
    WEIR_ASSIGN(const DeviceName given, DeviceName::Parse(node.device()));
    if (!has_ps || !ps_ops.contains(node.type())) return worker.MergedWith(given).ToString();
    DeviceName chosen = ps;
    if (ps.job && (!given.job || given.job == ps.job)) {
      WEIR_ASSIGN(const std::optional<int64_t> task, strategy(node));
      chosen.task.reset();
      if (task) {
        if (*task < 0 || *task > INT32_MAX)
          return InvalidArgument("ps_strategy returned task {} for node '{}'; it must be 0 or greater", *task,
                                 node.name());
        chosen.task = static_cast<int>(*task);
      }
    }
    return chosen.MergedWith(given).ToString();
  }
};

}  // namespace

PsStrategy RoundRobinStrategy(int64_t num_tasks) {
  return [num_tasks, next = std::make_shared<std::atomic<uint64_t>>(0)](Node&) -> Result<std::optional<int64_t>> {
    WEIR_TRY(CheckTasks(num_tasks));
    return static_cast<int64_t>(next->fetch_add(1) % static_cast<uint64_t>(num_tasks));
  };
}

Result<PsStrategy> GreedyLoadBalancingStrategy(int64_t num_tasks, LoadFn load) {
  constexpr int64_t kMostTasks = 1 << 24;
  WEIR_TRY(CheckTasks(num_tasks));
  if (num_tasks > kMostTasks) return InvalidArgument("too many tasks: {} (maximum {})", num_tasks, kMostTasks);
  struct Loads {
    std::mutex mu;
    std::vector<double> of_task;
  };
  auto loads = std::make_shared<Loads>();
  loads->of_task.resize(static_cast<size_t>(num_tasks));
  return PsStrategy([loads, load = std::move(load)](Node& node) -> Result<std::optional<int64_t>> {
    WEIR_ASSIGN(const double more, load(node));  // may be user code: call without the lock
    std::lock_guard<std::mutex> lock(loads->mu);
    const auto least = std::min_element(loads->of_task.begin(), loads->of_task.end());
    *least += more;
    return static_cast<int64_t>(least - loads->of_task.begin());
  });
}

Result<PsStrategy> RandomStrategy(int64_t num_tasks, int64_t seed) {
  WEIR_TRY(CheckTasks(num_tasks));
  return PsStrategy([num_tasks, seed](Node& node) -> Result<std::optional<int64_t>> {
    // The digest as a large integer, modulo the number of tasks.
    unsigned __int128 rest = 0;
    for (uint8_t byte : Md5(fmt::format("{}_{}", node.name(), seed)))
      rest = (rest * 256 + byte) % static_cast<uint64_t>(num_tasks);
    return static_cast<int64_t>(rest);
  });
}

Result<double> ByteSizeLoad(Node& node) {
  if (node.num_outputs() != 1)
    return InvalidArgument("node '{}' ({}) must have a single output, not {}", node.name(), node.type(),
                           node.num_outputs());
  const bool is_handle = node.output_type(0) == kResource && node.FindAttr("dtype") != nullptr;
  PartialShape shape = node.output_shape(0);
  DType type = BaseType(node.output_type(0));
  if (is_handle) {
    WEIR_ASSIGN(type, node.Attr<DType>("dtype"));
  }
  if ((is_handle || !shape.fully_defined()) && node.FindAttr("shape") != nullptr) {
    WEIR_ASSIGN(shape, node.Attr<PartialShape>("shape"));
  }
  if (!shape.fully_defined())
    return InvalidArgument("the shape {} of node '{}' is not fully defined: its size is not known", shape, node.name());
  const bool is_object = type == kString || type == kResource || type == kVariant;
  return static_cast<double>(shape.num_elements()) * (is_object ? 1.0 : static_cast<double>(ElementSize(type)));
}

const std::vector<std::string>& StandardPsOps() {
  static const std::vector<std::string> ops = {"Variable",
                                               "VariableV2",
                                               "AutoReloadVariable",
                                               "MutableHashTable",
                                               "MutableHashTableV2",
                                               "MutableHashTableOfTensors",
                                               "MutableHashTableOfTensorsV2",
                                               "MutableDenseHashTable",
                                               "MutableDenseHashTableV2",
                                               "VarHandleOp",
                                               "BoostedTreesEnsembleResourceHandleOp",
                                               "BoostedTreesQuantileStreamResourceHandleOp",
                                               "ResourceConditionalAccumulator",
                                               "DecisionTreeResource",
                                               "WorkQueueHandleOp"};  // not in TensorFlow
  return ops;
}

Result<DeviceRequest> ReplicaDeviceSetter(ReplicaDeviceOptions options) {
  WEIR_ASSIGN(DeviceName ps, DeviceName::Parse(options.ps_device));
  WEIR_ASSIGN(DeviceName worker, DeviceName::Parse(options.worker_device));
  if (options.cluster) {
    const auto job = ps.job ? options.cluster->jobs().find(*ps.job) : options.cluster->jobs().end();
    options.ps_tasks = job == options.cluster->jobs().end() ? 0 : static_cast<int64_t>(job->second.size());
  }
  if (options.ps_tasks < 0) return InvalidArgument("ps_tasks is {}: it must not be negative", options.ps_tasks);
  if (options.ps_tasks == 0) return DeviceRequest{.name = "", .choose = {}, .ignore_outer = true};
  auto devices = std::make_shared<ReplicaDevices>();
  devices->has_ps = !options.ps_device.empty();
  devices->ps = std::move(ps);
  devices->worker = std::move(worker);
  devices->merge = options.merge_devices;
  devices->ps_ops.insert(options.ps_ops.begin(), options.ps_ops.end());
  devices->strategy = options.ps_strategy ? std::move(options.ps_strategy) : RoundRobinStrategy(options.ps_tasks);
  return DeviceRequest{
      .name = "", .choose = [devices](Node& node) { return devices->Choose(node); }, .ignore_outer = false};
}

}  // namespace weir
