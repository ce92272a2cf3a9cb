// _Send and _Recv move a value between devices within a step. A send puts the value into the step's rendezvous, the
// matching receive takes it out. The partitioner creates them in pairs.
#include "op/gradient_context.h"
#include "op/hidden_attrs.h"
#include "op/kernel.h"
#include "op/op_registry.h"
#include "op/rendezvous_key.h"
#include "op/shape_context.h"
#include "ops/comm/lease_or_copy.h"

namespace weir::ops {
namespace {

Result<RendezvousKey> KeyOf(const KernelSetup& setup) {
  RendezvousKey key;
  WEIR_ASSIGN(key.from, setup.Attr<std::string>("send_device"));
  WEIR_ASSIGN(key.to, setup.Attr<std::string>("recv_device"));
  WEIR_ASSIGN(key.edge, setup.Attr<std::string>("tensor_name"));
  WEIR_ASSIGN(const int64_t incarnation, setup.Attr<int64_t>("send_device_incarnation"));
  key.incarnation = static_cast<uint64_t>(incarnation);
  return key;
}

// The rendezvous key of one run. `outside` is the precomputed key for runs outside of loops, the common case.
std::string LoopKey(const RendezvousKey& key, const std::string& outside, KernelContext::LoopPosition position) {
  if (position.frame == 0 && position.iteration == 0) return outside;
  RendezvousKey here = key;
  here.frame = position.frame;
  here.iteration = position.iteration;
  return here.ToString();
}

Result<Kernel> MakeSend(KernelSetup& setup) {
  WEIR_ASSIGN(RendezvousKey key, KeyOf(setup));
  std::string text = key.ToString();
  return Kernel::Sync([key = std::move(key), text = std::move(text)](KernelContext& ctx) -> Status {
           Rendezvous::Value value;
           value.dead = ctx.inputs_dead;
           if (!value.dead) {
             value.tensor = std::move(ctx.raw_input(0).tensor);
             WEIR_TRY(LeaseOrCopy(&value.tensor));
           }
           return ctx.step().rendezvous->Send(LoopKey(key, text, ctx.loop_position), std::move(value));
         })
      .Cheap();
}

Result<Kernel> MakeRecv(KernelSetup& setup) {
  WEIR_ASSIGN(RendezvousKey key, KeyOf(setup));
  std::string text = key.ToString();
  return Kernel::Async([key = std::move(key), text = std::move(text)](KernelContext& ctx, Done done) {
    ctx.step().rendezvous->RecvAsync(
        LoopKey(key, text, ctx.loop_position), [&ctx, done = std::move(done)](Result<Rendezvous::Value> value) {
          if (!value.ok()) return done(value.status());
          if (value->dead) {
            ctx.set_dead(0);
          } else if (value->tensor.dtype() != ctx.output_type(0)) {
            return done(InvalidArgument("received a tensor of type {}, but the receiving node expects {}",
                                        value->tensor.dtype(), ctx.output_type(0)));
          } else {
            ctx.set_output(0, std::move(value->tensor));
          }
          done(OkStatus());
        });
  });
}

const char* const kEdgeAttrs[] = {"tensor_name: string", "send_device: string", "send_device_incarnation: int",
                                  "recv_device: string", "client_terminated: bool = false"};

std::vector<std::string> WithType(std::string type) {
  std::vector<std::string> attrs = {std::move(type)};
  attrs.insert(attrs.end(), std::begin(kEdgeAttrs), std::end(kEdgeAttrs));
  return attrs;
}

Status ReceivedShape(ShapeContext& ctx) {
  const Result<PartialShape> known = ctx.Attr<PartialShape>(kReceivedShapeAttr);
  ctx.set_output(0, known.ok() ? *known : PartialShape());
  return OkStatus();
}

}  // namespace

void RegisterSendRecv(OpRegistry& registry) {
  for (const char* name : {"_Send", "_HostSend"}) {
    registry.Add({
        .name = name,
        .signature = "tensor: T ->",
        .attrs = WithType("T: type"),
        .shape = NoOutputs(),
        .kernels = CpuKernel(MakeSend),
        .traits = {.kind = NodeKind::kTransfer, .may_block = false, .brief = true},
        .stateful = true,
    });
  }
  for (const char* name : {"_Recv", "_HostRecv"}) {
    registry.Add({
        .name = name,
        .signature = "-> tensor: tensor_type",
        .attrs = WithType("tensor_type: type"),
        .shape = ReceivedShape,
        .kernels = CpuKernel(MakeRecv),
        .traits = {.kind = NodeKind::kTransfer, .may_block = true, .brief = true},
        .stateful = true,
    });
  }
}

}  // namespace weir::ops
