#include "cluster/access.h"

#include <gtest/gtest.h>

#include "base/manual_clock.h"
#include "cluster/certificates.h"
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
  for (const char* uri : {"weir://task/ps", "weir://task/ps/x", "weir://task/ps/-1", "weir://task/ps/00",
                          "weir://root/a", "weir://admin/", "weir://admin/a/b", "weir://"}) {
    EXPECT_EQ(IdentityInCertificate({uri}, "x").role, Role::kNone) << uri;
  }
  EXPECT_EQ(TaskUri("/job:ps/replica:0/task:7"), "weir://task/ps/7");
  EXPECT_EQ(TaskUri("ps"), "");
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
  for (const std::string& bad : {std::string(), std::string("# only"), token, token + " client/a more",
                                 token.substr(1) + " client/a", token + " task/ps/0", token + " alice"}) {
    EXPECT_EQ(ParseTokens(bad, "f").status().code(), StatusCode::kInvalidArgument) << bad;
  }
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
