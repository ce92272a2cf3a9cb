#include "cli/devices.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "base/env.h"
#include "cluster/await.h"
#include "cluster/grpc/grpc_transport.h"
#include "session/cluster_spec.h"

namespace weir::cli {
namespace {

using Devices = std::vector<tensorflow::DeviceAttributes>;

constexpr int64_t kOwnTimeoutMs = 1'000;  // for asking one task for its own devices

// An entry without a device type is a task that did not answer. It holds the task's name and address.
bool IsMissing(const tensorflow::DeviceAttributes& device) { return device.device_type().empty(); }

// Does not print the memory limit: it is meaningless for CPUs, TensorFlow and Weir report the same constant for each.
void Print(const Devices& devices) {
  using Row = std::array<std::string, 3>;
  std::vector<Row> rows = {{"NAME", "KIND", "INCARNATION"}};
  for (const tensorflow::DeviceAttributes& device : devices) {
    if (!IsMissing(device))
      rows.push_back({device.name(), device.device_type(), fmt::format("{:016x}", device.incarnation())});
  }
  std::array<size_t, 2> widths = {};
  for (const Row& row : rows) {
    for (size_t k = 0; k < widths.size(); ++k) widths[k] = std::max(widths[k], row[k].size());
  }
  for (const Row& row : rows) {
    const std::string line = fmt::format("{:<{}}  {:<{}}  {}\n", row[0], widths[0], row[1], widths[1], row[2]);
    std::fputs(line.c_str(), stdout);
  }
  std::fflush(stdout);  // keep the order with messages on standard error
}

void Say(const std::string& line) { std::fputs(("weir devices: " + line + "\n").c_str(), stderr); }

Result<Devices> DevicesOfCluster(MasterService& master, const CallOptions& options) {
  WEIR_ASSIGN(const tensorflow::ListDevicesResponse response,
              Await<tensorflow::ListDevicesResponse>([&](Reply<tensorflow::ListDevicesResponse> done) {
                master.ListDevices({}, options, std::move(done));  // without a session: the whole cluster
              }));
  Devices devices(response.local_device().begin(), response.local_device().end());
  devices.insert(devices.end(), response.remote_device().begin(), response.remote_device().end());
  return devices;
}

Result<Devices> DevicesOfTask(WorkerService& worker, const CallOptions& options) {
  WEIR_ASSIGN(const tensorflow::GetStatusResponse response,
              Await<tensorflow::GetStatusResponse>(
                  [&](Reply<tensorflow::GetStatusResponse> done) { worker.GetStatus({}, options, std::move(done)); }));
  return Devices(response.device_attributes().begin(), response.device_attributes().end());
}

}  // namespace

Status ListDevices(const DevicesOptions& options) {
  constexpr std::string_view kScheme = "grpc://";
  std::string address = options.target;
  if (address.starts_with(kScheme)) address.erase(0, kScheme.size());
  if (Result<Address> parsed = Address::Parse(address); !parsed.ok())
    return WithContext(parsed.status(), fmt::format("target '{}'", options.target));
  const int64_t timeout_ms = std::max<int64_t>(1, std::llround(options.timeout_seconds * 1000));
  const std::unique_ptr<Transport> transport =
      MakeGrpcTransport({.credentials = options.credentials.OrElse(Credentials::FromEnvironment()), .env = &RealEnv()});
  WEIR_TRY(transport->CheckCredentials());
  const std::shared_ptr<Channel> channel = transport->Connect(address);
  const Result<Devices> devices = DevicesOfCluster(*MakeRemoteMaster(channel), CallOptions{.timeout_ms = timeout_ms});
  if (devices.ok()) {
    Print(*devices);
    for (const tensorflow::DeviceAttributes& device : *devices)
      if (IsMissing(device)) Say(fmt::format("no answer from {} at {}", device.name(), device.physical_device_desc()));
    return OkStatus();
  }
  // TensorFlow servers list the cluster's devices only to sessions: fall back to the devices of the task itself.
  const Result<Devices> own = DevicesOfTask(*MakeRemoteWorker(channel, ""), CallOptions{.timeout_ms = kOwnTimeoutMs});
  if (!own.ok()) {
    if (devices.status().code() != StatusCode::kDeadlineExceeded) return devices.status();
    return DeadlineExceeded("no answer from {} within {} s", address, options.timeout_seconds);
  }
  Print(*own);
  Say(fmt::format("only the devices of the task at {}: it did not list the devices of its cluster within {} s", address,
                  options.timeout_seconds));
  return OkStatus();
}

}  // namespace weir::cli
