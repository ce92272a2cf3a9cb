// Calls between two transports: small messages, and large requests with a small response.
#include <benchmark/benchmark.h>

#include <condition_variable>
#include <mutex>

#include "cluster/grpc/grpc_transport.h"
#include "cluster/host/host_transport.h"
#include "cluster/ucx/ucx_transport.h"

namespace weir {
namespace {

const TransportSettings kSettings{.peer_timeout_ms = 60'000, .force_ucx = true};

enum class TransportKind { kGrpc, kHost, kUcx };

std::unique_ptr<Transport> MakeTransport(TransportKind way) {
  std::unique_ptr<Transport> grpc = MakeGrpcTransport(kSettings);
  if (way == TransportKind::kHost) return MakeHostTransport(std::move(grpc), kSettings);
  if (way == TransportKind::kUcx) return MakeUcxTransport(std::move(grpc), kSettings);
  return grpc;
}

// range(0): bytes of the request. The response has eight.
void BM_Call(benchmark::State& state, TransportKind way) {
  const std::unique_ptr<Transport> server = MakeTransport(way);
  const std::unique_ptr<Transport> client = MakeTransport(way);
  std::unique_ptr<Listener> listener = *server->Listen("127.0.0.1:0");
  listener->Serve([](const std::shared_ptr<IncomingCall>& call) { call->Respond(Rope("12345678")); });
  const std::shared_ptr<Channel> channel = client->Connect(fmt::format("127.0.0.1:{}", listener->port()));
  if (way == TransportKind::kUcx && !WaitUntilUcxIsUsed(*channel, kSettings.peer_timeout_ms))
    return state.SkipWithError("UCX is not there");
  const auto bytes = std::make_shared<std::string>(static_cast<size_t>(state.range(0)), 'x');
  std::mutex mu;
  std::condition_variable changed;
  for (auto _ : state) {
    bool done = false;
    Rope request;
    request.Append(bytes->data(), bytes->size(), bytes);
    channel->Call("/a.B/C", std::move(request), {}, [&](const Result<Rope>& answer) {
      std::lock_guard lock(mu);
      done = answer.ok();
      changed.notify_one();
    });
    std::unique_lock lock(mu);
    changed.wait(lock, [&] { return done; });
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK_CAPTURE(BM_Call, grpc, TransportKind::kGrpc)->Arg(64)->Arg(1 << 20)->Arg(100 << 20)->UseRealTime();
BENCHMARK_CAPTURE(BM_Call, host, TransportKind::kHost)->Arg(64)->Arg(1 << 20)->Arg(100 << 20)->UseRealTime();
BENCHMARK_CAPTURE(BM_Call, ucx, TransportKind::kUcx)->Arg(64)->Arg(1 << 20)->Arg(100 << 20)->UseRealTime();

}  // namespace
}  // namespace weir
