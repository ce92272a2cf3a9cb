// UcxWorker: the UCX context, worker and endpoints of a transport. The loop watches the worker's descriptor and drives
// progress; messages are sent on the caller's thread. Thread-safe: all calls of UCX are made under one lock. UCX calls
// back under that lock, so callbacks defer all work that is not urgent (Defer).
#pragma once

#include <sys/socket.h>
#include <ucp/api/ucp.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/function_ref.h"
#include "cluster/epoll_loop.h"
#include "cluster/ucx/ucx_frame.h"
#include "cluster/ucx/ucx_library.h"

namespace weir {

class UcxLink;

class UcxWorker final : public EpollLoop::Watcher, public std::enable_shared_from_this<UcxWorker> {
 public:
  // `devices` lists the network devices that UCX may use, like UCX_NET_DEVICES, which takes precedence; empty: all.
  static Result<std::shared_ptr<UcxWorker>> Make(std::shared_ptr<const UcxLibrary> library, EpollLoop& loop,
                                                 const std::string& devices);
  UcxWorker(std::shared_ptr<const UcxLibrary> library, EpollLoop& loop);
  ~UcxWorker() override;
  // Closes the remaining connections and frees all UCX resources. Call it once, while the loop exists.
  void Stop();

  // Accepts connections until Stop; returns the port. `accept` makes the link for a connection, or returns null to
  // reject it. A single listener cannot be closed: UCX 1.13 crashes if one is destroyed while a peer is about to
  // connect.
  using Accept = std::function<std::shared_ptr<UcxLink>()>;
  Result<int> Listen(const sockaddr* address, socklen_t size, Accept accept);

  // Starts to connect the link. The outcome shows in the messages that arrive on it.
  Status Connect(const std::shared_ptr<UcxLink>& link, const sockaddr* address, socklen_t size);
  // An error says why the message cannot be sent.
  Status Send(const std::shared_ptr<UcxLink>& link, UcxHeader head, std::string_view method, Rope payload);
  // Closes the endpoint, but not while its connection is being set up: UCX 1.13 closes the socket, may then take an
  // event of that socket for one of the next socket with the same number, and aborts. The endpoint stays until a
  // message was sent or received over it, or it has failed.
  void Disconnect(UcxLink& link);

  void OnReady(bool readable, bool writable) override;

 private:
  struct Sending;
  struct Receiving;
  struct ListenerEntry {
    UcxWorker* worker = nullptr;
    Accept accept;
    ucp_listener_h listener = nullptr;
  };

  Status Start(const std::string& devices);
  Status Error(const char* what, ucs_status_t status) const;
  // REQUIRES for all below: mu_ is held.
  bool Progress();
  // Progresses until then, or for a second.
  void ProgressUntil(FunctionRef<bool()> reached);
  Status Add(const std::shared_ptr<UcxLink>& link, ucp_ep_params_t params);
  void Settle(const std::shared_ptr<UcxLink>& link);
  void CloseEndpoint(ucp_ep_h endpoint);
  void Defer(std::function<void()> work) { deferred_.push_back(std::move(work)); }
  Status Post(const std::shared_ptr<Sending>& sending, std::string_view header, const void* data, size_t count,
              bool is_list, bool rendezvous);
  ucs_status_t OnActiveMessage(std::string_view header, void* data, size_t size, const ucp_am_recv_param_t& param);
  void OnFragmentReceived(const std::shared_ptr<UcxLink>& link, UcxInbox::Fragment fragment);
  void Fail(const std::shared_ptr<UcxLink>& link, Status reason);

  static ucs_status_t OnMessage(void* self, const void* header, size_t header_size, void* data, size_t size,
                                const ucp_am_recv_param_t* param);
  static void OnSent(void* request, ucs_status_t status, void* sending);
  static void OnReceived(void* request, ucs_status_t status, size_t size, void* receiving);
  static void OnClosed(void* request, ucs_status_t status, void* self);
  static void OnFailed(void* link, ucp_ep_h endpoint, ucs_status_t status);
  static void OnConnection(ucp_conn_request_h request, void* entry);

  const std::shared_ptr<const UcxLibrary> ucx_;
  EpollLoop& loop_;
  const EpollLoop::Id id_;
  std::mutex mu_;
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  int event_fd_ = -1;
  size_t max_header_ = 0;
  bool armed_ = false;
  bool stopping_ = false;
  std::vector<std::unique_ptr<ListenerEntry>> listeners_;
  std::unordered_map<ucp_ep_h, std::shared_ptr<UcxLink>> links_;
  int closing_ = 0;                             // endpoints that UCX is still closing
  std::deque<std::function<void()>> deferred_;  // to run without the lock
  std::unordered_map<Sending*, std::shared_ptr<Sending>> sending_;
  std::unordered_map<Receiving*, std::unique_ptr<Receiving>> receiving_;
};

}  // namespace weir
