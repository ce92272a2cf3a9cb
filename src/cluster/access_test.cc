#include "cluster/access.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/env.h"
#include "base/manual_clock.h"
#include "cluster/certificates.h"
#include "cluster/credentials.h"
#include "cluster/services.h"
#include "cluster/tokens.h"

namespace weir {
namespace {

PeerIdentity Peer(const std::string& name) { return ParseIdentity(name).value(); }

TEST(PeerIdentityTest, NamesInCertificatesGiveRoles) {
  EXPECT_EQ(IdentityInCertificate({"weir://task/ps/0"}, "x").role, Role::kTask);
  EXPECT_EQ(IdentityInCertificate({"https://x", "weir://admin/bob"}, "x").role, Role::kAdministrator);
  EXPECT_EQ(IdentityInCertificate({"weir://client/alice"}, "x").name, "client/alice");
  EXPECT_EQ(IdentityInCertificate({"https://x"}, "host7").name, "client/host7");
  for (const char* uri : {"weir://task/ps",     "weir://task/ps/x",
                          "weir://task/ps/-1",  "weir://task/ps/00",
                          "weir://root/a",      "weir://admin/",
                          "weir://admin/a/b",   "weir://",
                          "weir:admin/a",       "WEIR://admin/a",
                          "Weir://client/a",    "weir://Admin/a",
                          "weir:///admin/a",    "weir://admin//a",
                          "weir://admin/a/",    "weir://admin/a?b",
                          "weir://admin/a%2fb", "weir://admin/a b",
                          "weir://admin/a\nb",  "weir://task/ps/0/",
                          "weir://task//0",     "weir://task/ps/99999999999"}) {
    EXPECT_EQ(IdentityInCertificate({uri}, "x").role, Role::kNone) << uri;
  }
  // With several names, none counts: the CA and this code could take a different one for the right one.
  for (const char* other : {"weir://client/a", "weir://admin/b", "WEIR://admin/b", "weir:", "weir://task/ps/1"}) {
    EXPECT_EQ(IdentityInCertificate({"weir://task/ps/0", other}, "x").role, Role::kNone) << other;
    EXPECT_EQ(IdentityInCertificate({other, "weir://task/ps/0"}, "x").role, Role::kNone) << other;
  }
  for (const char* common_name : {"", "a/b", "a\nb", "a b", "\xc3\xa4"})
    EXPECT_EQ(IdentityInCertificate({"https://x"}, common_name).role, Role::kNone) << common_name;
  EXPECT_EQ(IdentityInCertificate({}, "alice@example.org").name, "client/alice@example.org");
  EXPECT_EQ(TaskUri("/job:ps/replica:0/task:7"), "weir://task/ps/7");
  EXPECT_EQ(TaskUri("ps"), "");
}

using Names = std::vector<std::string>;

TEST(WantedServerTest, ATaskIsReachedByItsNameAlone) {
  const WantedServer ps{.by_task = true, .uri = TaskUri("/job:ps/replica:0/task:0"), .host = "ps0"};
  EXPECT_TRUE(ps.Check({"weir://task/ps/0"}, {}, {}).ok());
  EXPECT_TRUE(ps.Check({"https://x", "weir://task/ps/0"}, {}, {}).ok());
  for (const Names& uris : std::vector<Names>{{},
                                              {"weir://task/ps/1"},
                                              {"weir://task/ps/00"},
                                              {"WEIR://task/ps/0"},
                                              {"weir://task/ps/0/"},
                                              {"weir://task/PS/0"},
                                              {"weir://client/ps"},
                                              {"weir://task/ps/0", "weir://task/ps/1"},
                                              {"weir://task/ps/0", "weir://admin/a"}})
    EXPECT_EQ(ps.Check(uris, {"ps0"}, {"10.0.0.1"}).code(), StatusCode::kUnauthenticated)
        << testing::PrintToString(uris);
  // A task whose name cannot be in a certificate is never reached, by whatever host.
  const WantedServer none{.by_task = true, .uri = TaskUri("a task"), .host = "ps0"};
  EXPECT_FALSE(none.Check({}, {"ps0"}, {}).ok());
  EXPECT_FALSE(none.Check({"", "weir://"}, {"ps0"}, {}).ok());
}

TEST(WantedServerTest, OtherwiseTheHostCounts) {
  const auto accepts = [](const std::string& host, const Names& dns, const Names& ip, const Names& uris = {}) {
    return WantedServer{.by_task = false, .uri = "", .host = host}.Check(uris, dns, ip).ok();
  };
  EXPECT_TRUE(accepts("ps0.example.org", {"x", "PS0.example.org"}, {}));
  EXPECT_TRUE(accepts("ps0.example.org", {"*.example.org"}, {}));
  EXPECT_TRUE(accepts("10.0.0.1", {}, {"10.0.0.1"}));
  EXPECT_TRUE(accepts("::1", {}, {"0:0:0:0:0:0:0:1"}));
  EXPECT_TRUE(accepts("h", {"h"}, {}, {"weir://task/ps/3"}));
  EXPECT_FALSE(accepts("a.ps0.example.org", {"*.example.org"}, {}));
  EXPECT_FALSE(accepts("example.org", {"*.example.org"}, {}));
  EXPECT_FALSE(accepts("10.0.0.1", {"*.0.0.1", "10.0.0.1"}, {})) << "a name is no address";
  EXPECT_FALSE(accepts("", {"", "*."}, {""}));
  EXPECT_FALSE(accepts("ps0", {"ps0.", " ps0", "ps0 "}, {}));
  EXPECT_FALSE(accepts("h", {"h"}, {}, {"weir://client/a"})) << "clients do not serve";
  EXPECT_FALSE(accepts("h", {"h"}, {}, {"weir://task/ps/0", "weir://task/ps/1"}));
}

TEST(AccessTest, EachMethodIsForItsRoles) {
  ManualClock clock;
  AccessControl access(clock);
  const auto allowed = [&](const char* who, const std::string& method) {
    for (const auto& [path, roles] : AllowedRoles()) {
      if (path.ends_with("/" + method)) return access.CheckMethod(Peer(who), roles, path).ok();
    }
    ADD_FAILURE() << method;
    return false;
  };
  for (const char* method : {"CreateSession", "ExtendSession", "RunStep", "PartialRunSetup", "CloseSession",
                             "ListDevices", "MakeCallable", "RunCallable", "ReleaseCallable"}) {
    EXPECT_TRUE(allowed("client/a", method) && allowed("task/ps/0", method) && allowed("admin/a", method)) << method;
  }
  for (const char* method : {"GetStatus", "CreateWorkerSession", "DeleteWorkerSession", "RegisterGraph",
                             "DeregisterGraph", "RunGraph", "CleanupGraph", "RecvTensor", "Logging", "WaitForEnd"}) {
    EXPECT_TRUE(!allowed("client/a", method) && allowed("task/ps/0", method) && !allowed("admin/a", method)) << method;
  }
  EXPECT_TRUE(!allowed("client/a", "CleanupAll") && allowed("task/ps/0", "CleanupAll") &&
              allowed("admin/a", "CleanupAll"));
  EXPECT_TRUE(!allowed("client/a", "Reset") && !allowed("task/ps/0", "Reset") && allowed("admin/a", "Reset"));
  EXPECT_EQ(AllowedRoles().size(), 21u);  // a new method needs its line above
  for (const auto& [path, roles] : AllowedRoles()) {
    EXPECT_TRUE(access.CheckMethod(TrustedPeer(), roles, path).ok());
    EXPECT_EQ(access.CheckMethod({Role::kNone, "", ""}, roles, path).code(), StatusCode::kUnauthenticated);
  }
}

TEST(AccessTest, ASessionBelongsToItsCreator) {
  ManualClock clock;
  AccessControl access(clock);
  EXPECT_TRUE(access.CheckOwner(Peer("client/a"), "client/a", "s").ok());
  EXPECT_TRUE(access.CheckOwner(Peer("admin/x"), "client/a", "s").ok());
  EXPECT_TRUE(access.CheckOwner(TrustedPeer(), "client/a", "s").ok());
  EXPECT_EQ(access.CheckOwner(Peer("client/b"), "client/a", "s").code(), StatusCode::kPermissionDenied);
  EXPECT_EQ(access.CheckOwner(Peer("task/worker/0"), "", "s").code(), StatusCode::kPermissionDenied);
  EXPECT_EQ(access.CheckOwner({Role::kNone, "", ""}, "", "s").code(), StatusCode::kPermissionDenied);
  EXPECT_EQ(access.denied_calls(), 3);
}

TEST(TokensTest, LinesThatCannotBeUsedAreErrors) {
  const std::string token(kMinTokenBytes, 'x');
  EXPECT_EQ(ParseTokens(token + " client/a\n\n# c\n" + token + "y\tadmin/b", "f").value().size(), 2u);
  EXPECT_EQ(ParseTokens("", "f").value().size(), 0U);
  EXPECT_EQ(ParseTokens("# only", "f").value().size(), 0U);
  for (const std::string& bad : {token + " client/a\n" + token + " admin/b", token + "\x01 client/a",
                                 token + "\xc3\xa4 client/a", token + " admin/a\x01", token + " client/a more",
                                 token.substr(1) + " client/a", token + " task/ps/0", token + " alice"}) {
    EXPECT_EQ(ParseTokens(bad, "f").status().code(), StatusCode::kInvalidArgument) << bad;
  }
}

TEST(TokensTest, AFileThatLosesItsTokensAcceptsNobody) {
  const std::string path = testing::TempDir() + "/tokens_" + std::to_string(getpid());
  const std::string token(kMinTokenBytes, 'x');
  const auto write = [&](const std::string& text) { ASSERT_TRUE(RealEnv().WriteFile(path, text).ok()); };
  ManualClock clock;
  AcceptedTokens accepted(RealEnv(), clock, path, /*reload_seconds=*/0);
  write("# nobody\n");
  EXPECT_EQ(accepted.Check().code(), StatusCode::kInvalidArgument) << "most likely a mistake";
  write(token + " client/a");
  EXPECT_TRUE(accepted.Check().ok());
  EXPECT_EQ(accepted.Find(token).name, "client/a");
  EXPECT_EQ(accepted.Find("").role, Role::kNone);
  EXPECT_EQ(accepted.Find(token + "x").role, Role::kNone);
  EXPECT_EQ(accepted.Find(token.substr(1)).role, Role::kNone);
  write("half a line of a file that is being wri");
  EXPECT_EQ(accepted.Find(token).name, "client/a") << "the previous tokens stay valid";
  write("");
  EXPECT_EQ(accepted.Find(token).role, Role::kNone) << "all tokens are withdrawn";
  write("\x7f");
  ShownToken shown(RealEnv(), clock, path, /*reload_seconds=*/0);
  EXPECT_EQ(shown.Check().code(), StatusCode::kInvalidArgument);
  std::filesystem::remove(path);
}

TEST(CredentialsTest, SecretsThatOthersCanChangeAreRefused) {
  const std::string path = testing::TempDir() + "/secret_" + std::to_string(getpid());
  ASSERT_TRUE(RealEnv().WriteFile(path, "secret").ok());
  Credentials credentials;
  credentials.token_file = path;
  const auto check = [&](mode_t mode) {
    EXPECT_EQ(chmod(path.c_str(), mode), 0);
    const Result<std::string> warning = credentials.CheckPermissions();
    return warning.ok() ? *warning : fmt::format("error {}", static_cast<int>(warning.status().code()));
  };
  EXPECT_EQ(check(0600), "");
  EXPECT_EQ(check(0640), "");
  EXPECT_NE(check(0644).find(path), std::string::npos);
  EXPECT_EQ(check(0666), fmt::format("error {}", static_cast<int>(StatusCode::kPermissionDenied)));
  EXPECT_EQ(check(0602), fmt::format("error {}", static_cast<int>(StatusCode::kPermissionDenied)));
  std::filesystem::remove(path);
}

TEST(CertificatesTest, IdentitiesAndHostsAreChecked) {
  const CertificateAuthority authority = CertificateAuthority::Make("a test", 1).value();
  for (const char* identity : {"", "alice", "client/a,URI:weir://admin/b", "client/a b", "client/a\nb"})
    EXPECT_EQ(authority.Issue({.identity = identity, .hosts = {}}).status().code(), StatusCode::kInvalidArgument)
        << identity;
  for (const char* host : {"", "a,DNS:b", "a b", "a:1"})
    EXPECT_EQ(authority.Issue({.identity = "client/a", .hosts = {host}}).status().code(), StatusCode::kInvalidArgument)
        << host;
  EXPECT_TRUE(authority.Issue({.identity = "client/a", .hosts = {"a.b", "::1", "10.0.0.1", "*.example.org"}}).ok());
  EXPECT_TRUE(CertificateAuthority::Load(authority.pem()).ok());
  const KeyAndCertificate issued = authority.Issue({.identity = "client/a", .hosts = {}}).value();
  EXPECT_EQ(CertificateAuthority::Load(issued).status().code(), StatusCode::kInvalidArgument) << "not a CA";
  EXPECT_EQ(CertificateAuthority::Load({authority.pem().key, issued.certificate}).status().code(),
            StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace weir
