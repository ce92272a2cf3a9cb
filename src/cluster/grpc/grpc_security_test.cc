// TLS and tokens over real sockets. The server answers with the name of its caller.
#include "cluster/grpc/grpc_security.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <functional>

#include "base/env.h"
#include "cluster/certificates.h"
#include "cluster/grpc/grpc_transport.h"
#include "cluster/transport_test.h"
#include "session/cluster_spec.h"

namespace weir {
namespace {

using transport_tests::Answer;

constexpr char kPs[] = "/job:ps/replica:0/task:0";
constexpr char kToken[] = "0123456789abcdef0123456789abcdef";

class GrpcSecurityTest : public testing::Test {
 protected:
  GrpcSecurityTest() { std::filesystem::create_directories(folder_); }
  ~GrpcSecurityTest() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& text) const {
    const std::string path = folder_ + "/" + name;
    EXPECT_TRUE(RealEnv().WriteFileAtomically(path, text).ok());
    return path;
  }
  static CertificateAuthority NewAuthority() { return CertificateAuthority::Make("a test", 1).value(); }
  Credentials CredentialsOf(const CertificateAuthority& authority, const CertificateAuthority::Request& request) const {
    const KeyAndCertificate issued = authority.Issue(request).value();
    std::string name = request.identity;
    std::replace(name.begin(), name.end(), '/', '-');
    Credentials credentials;
    credentials.tls_key = Write(name + ".key", issued.key);
    credentials.tls_cert = Write(name + ".crt", issued.certificate);
    credentials.tls_ca = Write(name + ".ca", authority.pem().certificate);
    credentials.reload_seconds = 1;
    return credentials;
  }
  // The credentials of a client that has only a token.
  Credentials TokenCredentials(const std::string& token) const {
    Credentials credentials;
    credentials.tls_ca = Write("token-user.ca", authority_.pem().certificate);
    credentials.token_file = Write("token", token + "\n");
    return credentials;
  }
  void Serve(const Credentials& credentials) {
    listener_ = nullptr;
    server_ = MakeGrpcTransport({.credentials = credentials, .env = &RealEnv()});
    Result<std::unique_ptr<Listener>> listener = server_->Listen("localhost:0");
    ASSERT_TRUE(listener.ok()) << listener.status();
    listener_ = *std::move(listener);
    listener_->Serve([](const std::shared_ptr<IncomingCall>& call) { call->Respond(Rope(call->caller().name)); });
  }
  // Whom the server takes a caller with these credentials for, or the code of the error.
  std::string NameOf(const Credentials& credentials, const std::string& task = kPs) const {
    const std::unique_ptr<Transport> client = MakeGrpcTransport({.credentials = credentials, .env = &RealEnv()});
    Answer answer;
    CancelToken cancel;
    constexpr int64_t kTimeoutMs = 15'000;
    client->Connect(fmt::format("localhost:{}", listener_->port()), task)
        ->Call("/a/b", Rope("?"), {.timeout_ms = kTimeoutMs}, answer.Take());
    const Status status = answer.Wait();
    return status.ok() ? answer.text() : fmt::format("error {}", static_cast<int>(status.code()));
  }
  static std::string Error(StatusCode code) { return fmt::format("error {}", static_cast<int>(code)); }

  const std::string folder_ = testing::TempDir() + "/grpc_security_" + std::to_string(getpid());
  const CertificateAuthority authority_ = NewAuthority();
  const CertificateAuthority::Request ps_{.identity = "task/ps/0", .hosts = {"localhost"}};
  std::unique_ptr<Transport> server_;
  std::unique_ptr<Listener> listener_;
};

TEST_F(GrpcSecurityTest, CallersAreKnownByTheirCertificates) {
  Serve(CredentialsOf(authority_, ps_));
  EXPECT_EQ(NameOf(CredentialsOf(authority_, {.identity = "task/worker/3", .hosts = {}})), "task/worker/3");
  EXPECT_EQ(NameOf(CredentialsOf(authority_, {.identity = "client/alice", .hosts = {}})), "client/alice");
  EXPECT_EQ(NameOf(CredentialsOf(authority_, {.identity = "admin/bob", .hosts = {}})), "admin/bob");
}

TEST_F(GrpcSecurityTest, CallersWithoutAGoodCertificateAreRefused) {
  Serve(CredentialsOf(authority_, ps_));
  const CertificateAuthority other = NewAuthority();
  // A caller that trusts the server, but whose certificate another CA has signed.
  Credentials foreign = CredentialsOf(other, {.identity = "client/eve", .hosts = {}});
  foreign.tls_ca = Write("right.ca", authority_.pem().certificate);
  EXPECT_EQ(NameOf(foreign), Error(StatusCode::kUnavailable));
  EXPECT_EQ(NameOf(CredentialsOf(authority_,
                                 {.identity = "client/late", .hosts = {}, .valid_days = 2, .starts_in_days = -3})),
            Error(StatusCode::kUnavailable));
  Credentials none;
  none.tls_ca = Write("right.ca", authority_.pem().certificate);
  EXPECT_EQ(NameOf(none), Error(StatusCode::kUnavailable));
  EXPECT_EQ(NameOf(Credentials()), Error(StatusCode::kUnavailable)) << "a plain connection";
  EXPECT_EQ(NameOf(CredentialsOf(authority_, {.identity = "client/alice", .hosts = {}})), "client/alice");
}

TEST_F(GrpcSecurityTest, TheServerMustBeTheWantedOne) {
  Serve(CredentialsOf(authority_, ps_));
  const Credentials alice = CredentialsOf(authority_, {.identity = "client/alice", .hosts = {}});
  EXPECT_EQ(NameOf(alice, kPs), "client/alice");
  EXPECT_EQ(NameOf(alice, "/job:ps/replica:0/task:1"), Error(StatusCode::kUnavailable));
  EXPECT_EQ(NameOf(alice, "/job:worker/replica:0/task:0"), Error(StatusCode::kUnavailable));
  EXPECT_EQ(NameOf(alice, ""), "client/alice") << "the host's name";
  Credentials misled = alice;
  misled.tls_ca = Write("wrong.ca", NewAuthority().pem().certificate);
  EXPECT_EQ(NameOf(misled), Error(StatusCode::kUnavailable));
}

TEST_F(GrpcSecurityTest, WithoutATaskTheCertificateMustNameTheHost) {
  Serve(CredentialsOf(authority_, {.identity = "task/ps/0", .hosts = {"ps0.example.org", "10.1.2.3"}}));
  const Credentials alice = CredentialsOf(authority_, {.identity = "client/alice", .hosts = {}});
  EXPECT_EQ(NameOf(alice, ""), Error(StatusCode::kUnavailable));
  EXPECT_EQ(NameOf(alice, kPs), "client/alice");
}

TEST_F(GrpcSecurityTest, ServersWithoutAGoodCertificateAreNotUsed) {
  const Credentials alice = CredentialsOf(authority_, {.identity = "client/alice", .hosts = {}});
  Serve(CredentialsOf(authority_,
                      {.identity = "task/ps/0", .hosts = {"localhost"}, .valid_days = 2, .starts_in_days = -3}));
  EXPECT_EQ(NameOf(alice), Error(StatusCode::kUnavailable)) << "expired";
  Serve(CredentialsOf(authority_,
                      {.identity = "task/ps/0", .hosts = {"localhost"}, .valid_days = 2, .starts_in_days = 1}));
  EXPECT_EQ(NameOf(alice), Error(StatusCode::kUnavailable)) << "not valid yet";
  Serve(CredentialsOf(authority_, {.identity = "client/ps", .hosts = {"localhost"}}));
  EXPECT_EQ(NameOf(alice, ""), Error(StatusCode::kUnavailable)) << "a client";
  Serve(CredentialsOf(authority_, ps_));
  EXPECT_EQ(NameOf(alice, "no name of a task"), Error(StatusCode::kUnavailable));
  EXPECT_EQ(NameOf(alice), "client/alice");
}

TEST_F(GrpcSecurityTest, RequestsOfUnknownCallersAreNotRead) {
  Credentials server = CredentialsOf(authority_, ps_);
  server.accepted_tokens_file = Write("accepted", fmt::format("{}  client/carol\n", kToken));
  Serve(server);
  std::atomic<int> role{-1};
  std::atomic<size_t> bytes{1};
  listener_ = nullptr;
  listener_ = server_->Listen("localhost:0").value();
  listener_->Serve([&](const std::shared_ptr<IncomingCall>& call) {
    role = static_cast<int>(call->caller().role);
    bytes = call->request().size();
    call->Respond(InvalidArgument("enough"));
  });
  const auto call = [&](const Credentials& credentials) {
    Answer answer;
    const std::unique_ptr<Transport> client = MakeGrpcTransport({.credentials = credentials, .env = &RealEnv()});
    client->Connect(fmt::format("localhost:{}", listener_->port()), kPs)
        ->Call("/a/b", Rope(std::string(size_t{1} << 20, 'x')), {.timeout_ms = 15'000}, answer.Take());
    EXPECT_EQ(answer.Wait().code(), StatusCode::kInvalidArgument);
  };
  call(TokenCredentials("0123456789abcdef0123456789abcdeX"));
  EXPECT_EQ(role, static_cast<int>(Role::kNone));
  EXPECT_EQ(bytes, 0U);
  call(TokenCredentials(kToken));
  EXPECT_EQ(role, static_cast<int>(Role::kClient));
  EXPECT_EQ(bytes, size_t{1} << 20);
}

TEST_F(GrpcSecurityTest, AServerWithoutTlsIsNotMistakenForOne) {
  Serve(Credentials());
  EXPECT_EQ(NameOf(Credentials()), "");
  EXPECT_EQ(NameOf(CredentialsOf(authority_, {.identity = "client/alice", .hosts = {}})),
            Error(StatusCode::kUnavailable));
}

TEST_F(GrpcSecurityTest, TokensIdentifyClientsWithoutCertificates) {
  Credentials server = CredentialsOf(authority_, ps_);
  server.accepted_tokens_file = Write("accepted", fmt::format("# people\n{}  client/carol\n", kToken));
  Serve(server);
  EXPECT_EQ(NameOf(TokenCredentials(kToken)), "client/carol");
  EXPECT_EQ(NameOf(TokenCredentials("0123456789abcdef0123456789abcdeX")), "");
  EXPECT_EQ(NameOf(CredentialsOf(authority_, {.identity = "task/worker/3", .hosts = {}})), "task/worker/3");
}

// Calls until the name is `wanted`, because the files are read again every second.
#define EXPECT_BECOMES(name, wanted)                                              \
  do {                                                                            \
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30); \
    while ((name) != (wanted) && std::chrono::steady_clock::now() < end)          \
      std::this_thread::sleep_for(std::chrono::milliseconds(100));                \
    EXPECT_EQ(name, wanted);                                                      \
  } while (false)

TEST_F(GrpcSecurityTest, ChangedFilesAreReadAgain) {
  Credentials server = CredentialsOf(authority_, ps_);
  server.accepted_tokens_file = Write("accepted", fmt::format("{}  client/carol\n", kToken));
  server.reload_seconds = 1;
  Serve(server);
  const Credentials carol = TokenCredentials(kToken);
  const Credentials alice = CredentialsOf(authority_, {.identity = "client/alice", .hosts = {}});
  ASSERT_EQ(NameOf(carol), "client/carol");
  ASSERT_EQ(NameOf(alice), "client/alice");
  Write("accepted", "fedcba9876543210fedcba9876543210 admin/dave\n");
  EXPECT_BECOMES(NameOf(carol), "");
  // A new CA: certificates of the previous one are refused from then on.
  const CertificateAuthority next = NewAuthority();
  CredentialsOf(next, ps_);
  Credentials new_alice = CredentialsOf(next, {.identity = "client/new", .hosts = {}});
  EXPECT_BECOMES(NameOf(new_alice), "client/new");
  EXPECT_EQ(NameOf(alice), Error(StatusCode::kUnavailable));
}

TEST_F(GrpcSecurityTest, UnusableCredentialsAreReportedBeforeAnythingListens) {
  const auto error = [](const Credentials& credentials) {
    return std::string(
        MakeGrpcTransport({.credentials = credentials, .env = &RealEnv()})->Listen("localhost:0").status().message());
  };
  Credentials credentials = CredentialsOf(authority_, ps_);
  credentials.tls_key = folder_ + "/missing";
  EXPECT_NE(error(credentials).find("/missing"), std::string::npos) << error(credentials);
  credentials.tls_key = "";
  EXPECT_NE(error(credentials).find("tls_key"), std::string::npos) << error(credentials);
  credentials = CredentialsOf(authority_, ps_);
  credentials.tls_cert = Write("no.pem", "hello");
  EXPECT_NE(error(credentials).find("no.pem"), std::string::npos) << error(credentials);
  credentials = CredentialsOf(authority_, ps_);
  credentials.accepted_tokens_file = Write("accepted", "short client/carol\n");
  EXPECT_NE(error(credentials).find("line 1"), std::string::npos) << error(credentials);
}

}  // namespace
}  // namespace weir
