#include "cluster/ucx/ucx_transport.h"

#include "cluster/ucx/ucx_channel.h"
#include "cluster/ucx/ucx_listener.h"

namespace weir {
namespace {

class UcxTransport final : public Transport {
 public:
  UcxTransport(std::unique_ptr<Transport> other, const TransportSettings& settings)
      : runtime_(std::make_shared<UcxRuntime>(settings)), other_(std::move(other)) {}
  ~UcxTransport() override {
    runtime_->callers().Close();
    other_ = nullptr;
    runtime_->Close();
  }
  std::shared_ptr<Channel> Connect(const std::string& address, const std::string& task) override {
    return std::make_shared<UcxChannel>(address, runtime_,
                                        [weak = std::weak_ptr(other_), address, task]() -> std::shared_ptr<Channel> {
                                          const std::shared_ptr<Transport> other = weak.lock();
                                          return other == nullptr ? nullptr : other->Connect(address, task);
                                        });
  }
  Status CheckCredentials() override { return other_->CheckCredentials(); }
  Result<std::unique_ptr<Listener>> Listen(const std::string& address) override {
    WEIR_ASSIGN(Address wanted, Address::Parse(address));
    WEIR_ASSIGN(std::unique_ptr<Listener> listener, other_->Listen(address));
    runtime_->AddServer(wanted);
    return std::unique_ptr<Listener>(std::make_unique<UcxListener>(runtime_, std::move(wanted), std::move(listener)));
  }

 private:
  const std::shared_ptr<UcxRuntime> runtime_;
  std::shared_ptr<Transport> other_;
};

}  // namespace

std::unique_ptr<Transport> MakeUcxTransport(std::unique_ptr<Transport> other, const TransportSettings& settings) {
  return std::make_unique<UcxTransport>(std::move(other), settings);
}

bool WaitUntilUcxIsUsed(Channel& channel, int64_t timeout_ms) {
  auto* ucx = dynamic_cast<UcxChannel*>(&channel);
  return ucx != nullptr && ucx->WaitUntilConnected(timeout_ms);
}

}  // namespace weir
