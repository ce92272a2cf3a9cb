// Limits: how much of a server its callers may use. kLimitRows is the only list of them: names, settings and defaults;
// docs/security.md has the same table. A Quota counts what is used of one of them, at the one place that uses it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/status.h"

namespace weir {

enum class Limit {
  kConnections,
  kStreams,
  kMessageBytes,
  kSessionsOfPeer,
  kSessions,
  kNodes,
  kStepsOfPeer,
  kSteps,
  kUnreadOfPeer,
  kUnread,
};
inline constexpr int kNumLimits = static_cast<int>(Limit::kUnread) + 1;

struct LimitRow {
  Limit limit;
  const char* what;      // "sessions of one peer"
  const char* variable;  // of the environment
  const char* flag;      // of `weir serve`
  int64_t value;         // the default; 0: part of the memory that the process may use
  int64_t memory_part;   // the default is the memory divided by this
  int64_t unit;          // the settings are numbers of this many bytes
};
inline constexpr int64_t kMegabyte = int64_t{1} << 20;
inline constexpr std::array<LimitRow, kNumLimits> kLimitRows{{
    {Limit::kConnections, "connections", "WEIR_MAX_CONNECTIONS", "--max_connections", 10'000, 0, 1},
    {Limit::kStreams, "calls on one connection", "WEIR_MAX_CONNECTION_CALLS", "--max_connection_calls", 16'384, 0, 1},
    {Limit::kMessageBytes, "megabytes of one message", "WEIR_MAX_MESSAGE_MB", "--max_message_mb", 0, 1, kMegabyte},
    {Limit::kSessionsOfPeer, "sessions of one peer", "WEIR_MAX_PEER_SESSIONS", "--max_peer_sessions", 1'000, 0, 1},
    {Limit::kSessions, "sessions", "WEIR_MAX_SESSIONS", "--max_sessions", 10'000, 0, 1},
    {Limit::kNodes, "nodes of one graph", "WEIR_MAX_NODES", "--max_nodes", 1'000'000, 0, 1},
    {Limit::kStepsOfPeer, "steps of one peer", "WEIR_MAX_PEER_STEPS", "--max_peer_steps", 10'000, 0, 1},
    {Limit::kSteps, "steps", "WEIR_MAX_STEPS", "--max_steps", 50'000, 0, 1},
    {Limit::kUnreadOfPeer, "megabytes of unread answers of one peer", "WEIR_MAX_PEER_UNREAD_MB", "--max_peer_unread_mb",
     0, 2, kMegabyte},
    {Limit::kUnread, "megabytes of unread answers", "WEIR_MAX_UNREAD_MB", "--max_unread_mb", 0, 1, kMegabyte},
}};

// A value.
class Limits final {
 public:
  // Settings in the units of the table, by Limit; those that are not set have their default.
  using Settings = std::array<std::optional<int64_t>, kNumLimits>;

  Limits() : Limits(Settings()) {}
  explicit Limits(const Settings& settings);
  // The given settings, then those of the environment. InvalidArgument for a variable that is not a positive number.
  static Result<Limits> FromEnvironment(const Settings& given = {});

  // In bytes, or just a number.
  int64_t operator[](Limit limit) const { return values_[static_cast<size_t>(limit)]; }
  // ResourceExhausted: names the limit, its value and how to change it. `who` has reached it.
  Status Reached(Limit limit, const std::string& who) const;

 private:
  std::array<int64_t, kNumLimits> values_{};
};

// Counts what each peer uses of something, and all of them together. A peer is a PeerIdentity::key. The empty one is
// this process, which is not limited. Thread-safe.
//
// A peer that uses nothing yet may take any amount up to the limit of all. Once all together have reached that, a peer
// may still use an equal part: those who fill the quota do not keep others out.
class Quota final {
 public:
  // Without `in_all`, only each peer is limited.
  Quota(const Limits& limits, Limit per_peer, std::optional<Limit> in_all = {});

  // What one peer uses, until it is destroyed. It may outlive the quota.
  class Share final {
   public:
    Share() = default;
    Share(Share&& other) noexcept { *this = std::move(other); }
    Share& operator=(Share&& other) noexcept;
    ~Share();

   private:
    friend class Quota;
    std::shared_ptr<class QuotaCounts> counts_;
    std::string peer_;
    int64_t amount_ = 0;
  };
  // ResourceExhausted if that is over a limit.
  Result<Share> Take(const std::string& peer, int64_t amount = 1);

  int64_t used() const;
  int64_t used_by(const std::string& peer) const;

 private:
  const Limits limits_;
  const Limit per_peer_;
  const std::optional<Limit> in_all_;
  const std::shared_ptr<class QuotaCounts> counts_;
};

}  // namespace weir
