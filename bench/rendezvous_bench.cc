// A value passed through a rendezvous in one process, sent first or awaited first, while range(0) other receivers wait.
#include <benchmark/benchmark.h>

#include "runtime/rendezvous.h"

namespace weir {
namespace {

constexpr char kKey[] =
    "/job:ps/replica:0/task:0/device:CPU:0;0000000000000001;/job:worker/task:0/device:CPU:0;edge_7_w;0:0";

void BM_Rendezvous(benchmark::State& state, bool receiver_first) {
  auto meeting = MakeIntrusive<LocalRendezvous>();
  const Rendezvous::Value value{Tensor::Scalar(1.0f)};
  for (int i = 0; i < state.range(0); ++i) meeting->RecvAsync(fmt::format("{}{}", kKey, i), [](const auto&) {});
  int64_t received = 0;
  const auto receive = [&] { meeting->RecvAsync(kKey, [&](const auto& got) { received += got.ok() ? 1 : 0; }); };
  for (auto _ : state) {
    if (receiver_first) receive();
    if (!meeting->Send(kKey, value).ok()) state.SkipWithError("the value could not be sent");
    if (!receiver_first) receive();
  }
  if (received != state.iterations()) state.SkipWithError("a value was lost");
  meeting->Abort(Cancelled("the benchmark is over"));
}
BENCHMARK_CAPTURE(BM_Rendezvous, sent_first, false)->Arg(0)->Arg(1000);
BENCHMARK_CAPTURE(BM_Rendezvous, awaited_first, true)->Arg(0)->Arg(1000);

}  // namespace
}  // namespace weir
