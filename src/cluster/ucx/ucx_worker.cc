#include "cluster/ucx/ucx_worker.h"

#include <netinet/in.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "cluster/transport_errors.h"
#include "cluster/ucx/ucx_link.h"

namespace weir {
namespace {

constexpr unsigned kMessageId = 1;
// UCX's shared-memory transports cannot tell that a peer has died.
constexpr char kExcludedTransports[] = "^posix,sysv,xpmem,cma,knem";

}  // namespace

// A message in flight. Kept until UCX has completed it.
struct UcxWorker::Sending {
  UcxWorker* worker = nullptr;
  std::shared_ptr<UcxLink> link;
  std::unique_ptr<UcxOutgoing> message;
  std::vector<ucp_dt_iov_t> list;
  int left = 0;  // incomplete operations
};

// A fragment of a message that UCX receives directly into its final memory.
struct UcxWorker::Receiving {
  UcxWorker* worker = nullptr;
  std::shared_ptr<UcxLink> link;
  UcxInbox::Fragment fragment;
};

// ---- start and stop ----

Result<std::shared_ptr<UcxWorker>> UcxWorker::Make(std::shared_ptr<const UcxLibrary> library, EpollLoop& loop,
                                                   const std::string& devices) {
  auto worker = std::make_shared<UcxWorker>(std::move(library), loop);
  if (Status status = worker->Start(devices); !status.ok()) {
    worker->Stop();
    return status;
  }
  return worker;
}

UcxWorker::UcxWorker(std::shared_ptr<const UcxLibrary> library, EpollLoop& loop)
    : ucx_(std::move(library)), loop_(loop), id_(loop.NewId()) {}

UcxWorker::~UcxWorker() = default;

Status UcxWorker::Error(const char* what, ucs_status_t status) const {
  return FailedPrecondition("{}: {}", what, ucx_->ucs_status_string(status));
}

Status UcxWorker::Start(const std::string& devices) {
  std::lock_guard lock(mu_);
  ucp_config_t* config = nullptr;
  if (const ucs_status_t s = ucx_->ucp_config_read(nullptr, nullptr, &config); s != UCS_OK)
    return Error("UCX: ucp_config_read failed", s);
  if (std::getenv("UCX_TLS") == nullptr) ucx_->ucp_config_modify(config, "TLS", kExcludedTransports);
  if (!devices.empty() && std::getenv("UCX_NET_DEVICES") == nullptr)
    ucx_->ucp_config_modify(config, "NET_DEVICES", devices.c_str());
  ucp_params_t params{};
  params.field_mask = UCP_PARAM_FIELD_FEATURES;
  params.features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP;
  const ucs_status_t made = ucx_->ucp_init_version(UCP_API_MAJOR, UCP_API_MINOR, &params, config, &context_);
  ucx_->ucp_config_release(config);
  if (made != UCS_OK) return Error("UCX: no usable transport or device (see UCX_TLS, UCX_NET_DEVICES)", made);
  ucp_worker_params_t worker{};
  worker.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  worker.thread_mode = UCS_THREAD_MODE_SERIALIZED;
  if (const ucs_status_t s = ucx_->ucp_worker_create(context_, &worker, &worker_); s != UCS_OK)
    return Error("UCX: ucp_worker_create failed", s);
  if (const ucs_status_t s = ucx_->ucp_worker_get_efd(worker_, &event_fd_); s != UCS_OK)
    return Error("UCX: ucp_worker_get_efd failed", s);
  ucp_worker_attr_t attributes{};
  attributes.field_mask = UCP_WORKER_ATTR_FIELD_MAX_AM_HEADER;
  if (const ucs_status_t s = ucx_->ucp_worker_query(worker_, &attributes); s != UCS_OK)
    return Error("UCX: ucp_worker_query failed", s);
  max_header_ = attributes.max_am_header;
  ucp_am_handler_param_t handler{};
  handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
  handler.id = kMessageId;
  handler.cb = &UcxWorker::OnMessage;
  handler.arg = this;
  if (const ucs_status_t s = ucx_->ucp_worker_set_am_recv_handler(worker_, &handler); s != UCS_OK)
    return Error("UCX: ucp_worker_set_am_recv_handler failed", s);
  Progress();
  loop_.Add(id_, event_fd_, shared_from_this());
  return OkStatus();
}

void UcxWorker::Stop() {
  if (event_fd_ >= 0) loop_.Remove(id_, event_fd_);
  std::deque<std::function<void()>> deferred;  // destroyed without the lock
  std::unordered_map<ucp_ep_h, std::shared_ptr<UcxLink>> links;
  std::unordered_map<Sending*, std::shared_ptr<Sending>> sending;
  std::unordered_map<Receiving*, std::unique_ptr<Receiving>> receiving;
  std::vector<std::unique_ptr<ListenerEntry>> listeners;  // their `accept` may hold a reference to this worker
  std::lock_guard lock(mu_);
  stopping_ = true;
  if (worker_ != nullptr) {
    ProgressUntil([this] {
      return std::all_of(links_.begin(), links_.end(), [](const auto& entry) { return entry.second->settled_; });
    });
    links.swap(links_);
    for (const auto& [endpoint, link] : links) {
      link->endpoint_ = nullptr;
      CloseEndpoint(endpoint);
    }
    ProgressUntil([this] { return closing_ == 0; });
    for (const std::unique_ptr<ListenerEntry>& entry : listeners_) ucx_->ucp_listener_destroy(entry->listener);
    ucx_->ucp_worker_destroy(worker_);
    worker_ = nullptr;
  }
  if (context_ != nullptr) ucx_->ucp_cleanup(context_);
  context_ = nullptr;
  deferred.swap(deferred_);
  sending.swap(sending_);
  receiving.swap(receiving_);
  listeners.swap(listeners_);
}

// ---- progress ----

void UcxWorker::ProgressUntil(FunctionRef<bool()> reached) {
  constexpr auto kPatience = std::chrono::seconds(1);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!reached() && std::chrono::steady_clock::now() < end) {
    if (ucx_->ucp_worker_progress(worker_) == 0) std::this_thread::yield();
  }
}

// True once the worker is armed: its descriptor signals the next event. False if there may be more to do at once.
bool UcxWorker::Progress() {
  constexpr int kTurns = 1000;
  constexpr int kTurnsWithWork = 16;  // limit while deferred_ has work
  for (int i = 0; worker_ != nullptr && i < kTurns && (deferred_.empty() || i < kTurnsWithWork); ++i) {
    if (ucx_->ucp_worker_progress(worker_) > 0) continue;
    if (ucx_->ucp_worker_arm(worker_) == UCS_OK) return true;
  }
  return worker_ == nullptr;
}

void UcxWorker::OnReady(bool, bool) {
  bool announced = false;
  for (;;) {
    std::function<void()> work;
    bool more = false;
    {
      std::lock_guard lock(mu_);
      if (deferred_.empty()) armed_ = Progress();
      more = !armed_ || deferred_.size() > 1;
      if (!deferred_.empty()) {
        work = std::move(deferred_.front());
        deferred_.pop_front();
      }
    }
    // If the work takes long, another thread continues.
    if (more && !announced) {
      loop_.Post([weak = weak_from_this()] {
        if (const std::shared_ptr<UcxWorker> alive = weak.lock()) alive->OnReady(false, false);
      });
      announced = true;
    }
    if (work == nullptr) return;
    work();
  }
}

// ---- connections ----

Result<int> UcxWorker::Listen(const sockaddr* address, socklen_t size, Accept accept) {
  std::lock_guard lock(mu_);
  if (worker_ == nullptr) return ProcessIsEnding();
  auto entry = std::make_unique<ListenerEntry>(ListenerEntry{this, std::move(accept), nullptr});
  ucp_listener_params_t params{};
  params.field_mask = UCP_LISTENER_PARAM_FIELD_SOCK_ADDR | UCP_LISTENER_PARAM_FIELD_CONN_HANDLER;
  params.sockaddr = {address, size};
  params.conn_handler = {&UcxWorker::OnConnection, entry.get()};
  if (const ucs_status_t s = ucx_->ucp_listener_create(worker_, &params, &entry->listener); s != UCS_OK)
    return Error("UCX cannot listen", s);
  listeners_.push_back(std::move(entry));
  ucp_listener_attr_t attributes{};
  attributes.field_mask = UCP_LISTENER_ATTR_FIELD_SOCKADDR;
  if (const ucs_status_t s = ucx_->ucp_listener_query(listeners_.back()->listener, &attributes); s != UCS_OK)
    return Error("UCX: ucp_listener_query failed", s);
  ucx_->ucp_worker_signal(worker_);
  const auto* name = reinterpret_cast<const sockaddr*>(&attributes.sockaddr);
  return ntohs(name->sa_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6*>(name)->sin6_port
                                           : reinterpret_cast<const sockaddr_in*>(name)->sin_port);
}

void UcxWorker::OnConnection(ucp_conn_request_h request, void* door_pointer) {
  const ListenerEntry& entry = *static_cast<const ListenerEntry*>(door_pointer);
  UcxWorker& self = *entry.worker;
  const std::shared_ptr<UcxLink> link = self.stopping_ ? nullptr : entry.accept();
  if (link == nullptr) {
    self.ucx_->ucp_listener_reject(entry.listener, request);
    return;
  }
  ucp_ep_params_t params{};
  params.field_mask = UCP_EP_PARAM_FIELD_CONN_REQUEST;
  params.conn_request = request;
  if (Status status = self.Add(link, params); !status.ok()) return self.Fail(link, status);
  link->AwaitHello();
}

Status UcxWorker::Connect(const std::shared_ptr<UcxLink>& link, const sockaddr* address, socklen_t size) {
  std::lock_guard lock(mu_);
  ucp_ep_params_t params{};
  params.field_mask = UCP_EP_PARAM_FIELD_FLAGS | UCP_EP_PARAM_FIELD_SOCK_ADDR;
  params.flags = UCP_EP_PARAMS_FLAGS_CLIENT_SERVER;
  params.sockaddr = {address, size};
  return Add(link, params);
}

Status UcxWorker::Add(const std::shared_ptr<UcxLink>& link, ucp_ep_params_t params) {
  if (worker_ == nullptr) return ProcessIsEnding();
  params.field_mask |= UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER;
  params.err_mode = UCP_ERR_HANDLING_MODE_PEER;
  params.err_handler = {&UcxWorker::OnFailed, link.get()};
  ucp_ep_h endpoint = nullptr;
  if (const ucs_status_t s = ucx_->ucp_ep_create(worker_, &params, &endpoint); s != UCS_OK)
    return BrokenConnection(ucx_->ucs_status_string(s));
  link->endpoint_ = endpoint;
  links_.emplace(endpoint, link);
  ucx_->ucp_worker_signal(worker_);
  return OkStatus();
}

void UcxWorker::OnFailed(void* link, ucp_ep_h, ucs_status_t status) {
  // Links live until their endpoints are closed.
  const std::shared_ptr<UcxLink> failed = static_cast<UcxLink*>(link)->shared_from_this();
  UcxWorker& self = *failed->shared_.worker;
  self.Settle(failed);
  self.Fail(failed, BrokenConnection(self.ucx_->ucs_status_string(status)));
}

void UcxWorker::Fail(const std::shared_ptr<UcxLink>& link, Status reason) {
  Defer([link, reason = std::move(reason)] { link->Break(reason); });
}

void UcxWorker::Settle(const std::shared_ptr<UcxLink>& link) {
  if (std::exchange(link->settled_, true) || !link->dropped_) return;
  Defer([this, link] { Disconnect(*link); });
}

void UcxWorker::Disconnect(UcxLink& link) {
  std::shared_ptr<UcxLink> kept;  // destroyed without the lock
  std::lock_guard lock(mu_);
  if (worker_ == nullptr || link.endpoint_ == nullptr) return;
  link.dropped_ = true;
  if (!link.settled_) return;
  const ucp_ep_h endpoint = std::exchange(link.endpoint_, nullptr);
  if (auto it = links_.find(endpoint); it != links_.end()) {
    kept = std::move(it->second);
    links_.erase(it);
  }
  CloseEndpoint(endpoint);
  ucx_->ucp_worker_signal(worker_);
}

void UcxWorker::CloseEndpoint(ucp_ep_h endpoint) {
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS | UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  param.flags = UCP_EP_CLOSE_FLAG_FORCE;
  param.cb.send = &UcxWorker::OnClosed;
  param.user_data = this;
  if (UCS_PTR_IS_PTR(ucx_->ucp_ep_close_nbx(endpoint, &param))) ++closing_;
}

void UcxWorker::OnClosed(void* request, ucs_status_t, void* self) {
  auto* worker = static_cast<UcxWorker*>(self);
  --worker->closing_;
  worker->ucx_->ucp_request_free(request);
}

// ---- sending ----

Status UcxWorker::Send(const std::shared_ptr<UcxLink>& link, UcxHeader head, std::string_view method, Rope payload) {
  if (method.size() > kUcxMaxMethod) return InvalidArgument("method name of {} bytes is too long", method.size());
  auto sending = std::make_shared<Sending>();  // destroyed without the lock
  std::lock_guard lock(mu_);
  if (worker_ == nullptr || link->endpoint_ == nullptr || link->dropped_)
    return BrokenConnection("the link was closed");
  head.message = link->next_message_++;
  sending->worker = this;
  sending->link = link;
  sending->message = MakeUcxOutgoing(head, method, std::move(payload));
  const UcxOutgoing& message = *sending->message;
  if (message.header.size() > max_header_)
    return InvalidArgument("message header of {} bytes is too long", message.header.size());
  sending_.emplace(sending.get(), sending);
  ++sending->left;  // until all operations are posted
  const bool rendezvous = message.data_size >= kUcxPartBytes;
  Status status;
  if (message.data.size() <= 1) {
    const void* data = message.data.empty() ? nullptr : message.data[0].data;
    status = Post(sending, message.header, data, message.data_size, /*is_list=*/false, rendezvous);
  } else {
    for (const UcxOutgoing::Bytes& bytes : message.data)
      sending->list.push_back({const_cast<char*>(bytes.data), bytes.size});
    status = Post(sending, message.header, sending->list.data(), sending->list.size(), /*is_list=*/true, rendezvous);
  }
  for (size_t i = 0; status.ok() && i < message.parts.size(); ++i) {
    const UcxHeader& part = message.part_heads[i];
    status = Post(sending, {reinterpret_cast<const char*>(&part), sizeof(part)}, message.parts[i].data,
                  message.parts[i].size, /*is_list=*/false, /*rendezvous=*/true);
  }
  // The loop drives operations that wait for the peer.
  if (sending->left > 1) ucx_->ucp_worker_signal(worker_);
  if (--sending->left == 0) sending_.erase(sending.get());
  return status;
}

Status UcxWorker::Post(const std::shared_ptr<Sending>& sending, std::string_view header, const void* data, size_t count,
                       bool is_list, bool rendezvous) {
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS |
                       UCP_OP_ATTR_FIELD_DATATYPE | UCP_OP_ATTR_FIELD_MEMORY_TYPE;
  param.cb.send = &UcxWorker::OnSent;
  param.user_data = sending.get();
  param.memory_type = UCS_MEMORY_TYPE_HOST;
  param.datatype = is_list ? ucp_dt_make_iov() : ucp_dt_make_contig(1);
  param.flags = UCP_AM_SEND_FLAG_REPLY | (rendezvous ? UCP_AM_SEND_FLAG_RNDV : UCP_AM_SEND_FLAG_EAGER);
  const ucs_status_ptr_t request =
      ucx_->ucp_am_send_nbx(sending->link->endpoint_, kMessageId, header.data(), header.size(), data, count, &param);
  if (UCS_PTR_IS_ERR(request)) return BrokenConnection(ucx_->ucs_status_string(UCS_PTR_STATUS(request)));
  if (request != nullptr) {
    ++sending->left;
  } else {
    Settle(sending->link);  // UCX queues messages until the connection is set up
  }
  return OkStatus();
}

void UcxWorker::OnSent(void* request, ucs_status_t status, void* pointer) {
  auto* sending = static_cast<Sending*>(pointer);
  UcxWorker& self = *sending->worker;
  self.ucx_->ucp_request_free(request);
  if (status == UCS_OK) {
    self.Settle(sending->link);
    sending->link->RecordActivity();  // a delayed send completes only if the peer receives
  }
  if (status != UCS_OK) self.Fail(sending->link, BrokenConnection(self.ucx_->ucs_status_string(status)));
  if (--sending->left > 0) return;
  const auto it = self.sending_.find(sending);
  self.Defer([kept = std::move(it->second)] {});
  self.sending_.erase(it);
}

// ---- receiving ----

ucs_status_t UcxWorker::OnMessage(void* self, const void* header, size_t header_size, void* data, size_t size,
                                  const ucp_am_recv_param_t* param) {
  return static_cast<UcxWorker*>(self)->OnActiveMessage({static_cast<const char*>(header), header_size}, data, size,
                                                        *param);
}

ucs_status_t UcxWorker::OnActiveMessage(std::string_view header, void* data, size_t size,
                                        const ucp_am_recv_param_t& param) {
  // Without a reply endpoint the sender is unknown.
  if ((param.recv_attr & UCP_AM_RECV_ATTR_FIELD_REPLY_EP) == 0) return UCS_OK;
  const auto it = links_.find(param.reply_ep);
  if (it == links_.end()) return UCS_OK;
  const std::shared_ptr<UcxLink> link = it->second;
  Settle(link);
  if (link->dropped_ || stopping_) return UCS_OK;
  link->RecordActivity();
  Result<UcxInbox::Fragment> fragment = link->inbox_.Begin(header, size);
  if (!fragment.ok()) {
    Fail(link, BrokenConnection(std::string(fragment.status().message())));
    return UCS_OK;
  }
  if (!link->AcceptsMessage(fragment->head)) {
    Fail(link, BrokenConnection("the peer has no valid invitation"));
    return UCS_OK;
  }
  link->OnMessageStart(fragment->head, fragment->method);
  if ((param.recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) == 0) {
    if (fragment->memory != nullptr) std::memcpy(fragment->memory->data(), data, size);
    OnFragmentReceived(link, *std::move(fragment));
    return UCS_OK;
  }
  if (fragment->memory == nullptr) {
    OnFragmentReceived(link, *std::move(fragment));
    return UCS_OK;
  }
  auto receiving = std::make_unique<Receiving>(Receiving{this, link, *std::move(fragment)});
  ucp_request_param_t options{};
  options.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_MEMORY_TYPE;
  options.cb.recv_am = &UcxWorker::OnReceived;
  options.user_data = receiving.get();
  options.memory_type = UCS_MEMORY_TYPE_HOST;
  const ucs_status_ptr_t request =
      ucx_->ucp_am_recv_data_nbx(worker_, data, receiving->fragment.memory->data(), size, &options);
  if (UCS_PTR_IS_ERR(request)) {
    Fail(link, BrokenConnection(ucx_->ucs_status_string(UCS_PTR_STATUS(request))));
    return UCS_OK;
  }
  if (request == nullptr) {
    OnFragmentReceived(link, std::move(receiving->fragment));
    return UCS_OK;
  }
  Receiving* const key = receiving.get();
  receiving_.emplace(key, std::move(receiving));
  return UCS_INPROGRESS;
}

void UcxWorker::OnReceived(void* request, ucs_status_t status, size_t, void* pointer) {
  auto* const receiving = static_cast<Receiving*>(pointer);
  UcxWorker& self = *receiving->worker;
  self.ucx_->ucp_request_free(request);
  const auto it = self.receiving_.find(receiving);
  const std::unique_ptr<Receiving> done = std::move(it->second);
  self.receiving_.erase(it);
  done->link->RecordActivity();
  if (status == UCS_OK) return self.OnFragmentReceived(done->link, std::move(done->fragment));
  self.Fail(done->link, BrokenConnection(self.ucx_->ucs_status_string(status)));
}

void UcxWorker::OnFragmentReceived(const std::shared_ptr<UcxLink>& link, UcxInbox::Fragment fragment) {
  Result<std::optional<UcxInbox::Message>> message = link->inbox_.End(std::move(fragment));
  if (!message.ok()) return Fail(link, BrokenConnection(std::string(message.status().message())));
  if (!message->has_value()) return;
  auto whole = std::make_shared<UcxInbox::Message>(**std::move(message));
  Defer([link, whole] { link->OnMessageComplete(std::move(*whole)); });
}

}  // namespace weir
