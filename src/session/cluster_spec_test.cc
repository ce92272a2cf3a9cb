#include "session/cluster_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir {
namespace {

using testing::HasSubstr;
using Jobs = std::map<std::string, ClusterSpec::Tasks>;

std::string ErrorOf(const Status& status) {
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status;
  return std::string(status.message());
}

TEST(AddressTest, Parse) {
  struct Case {
    const char* text;
    Address address;
    const char* written;
  };
  for (const Case& c : {Case{"localhost:2222", {"localhost", 2222, ""}, "localhost:2222"},
                        Case{"10.0.0.7:0", {"10.0.0.7", 0, ""}, "10.0.0.7:0"},
                        Case{"my_host-1.example.com:65535", {"my_host-1.example.com", 65535, ""}, nullptr},
                        Case{"h:00080", {"h", 80, ""}, "h:80"}, Case{"[::1]:2222", {"::1", 2222, ""}, "[::1]:2222"},
                        Case{"[fe80::1%eth0]:1", {"fe80::1%eth0", 1, ""}, "[fe80::1%eth0]:1"},
                        Case{"unix:/run/weir.sock", {"", 0, "/run/weir.sock"}, "unix:/run/weir.sock"},
                        Case{"unix:relative", {"", 0, "relative"}, "unix:relative"},
                        Case{"unix:///run/weir.sock", {"", 0, "/run/weir.sock"}, "unix:/run/weir.sock"}}) {
    const Result<Address> address = Address::Parse(c.text);
    ASSERT_TRUE(address.ok()) << address.status();
    EXPECT_EQ(*address, c.address) << c.text;
    EXPECT_EQ(address->ToString(), c.written == nullptr ? c.text : c.written);
    EXPECT_EQ(Address::Parse(address->ToString()).value(), *address);
  }
}

TEST(AddressTest, ErrorsNameTheInvalidPart) {
  const std::vector<std::pair<std::string, const char*>> cases = {
      {"", "is empty"},
      {"localhost", "the port is missing"},
      {"localhost:", "the port is missing"},
      {"[::1]", "the port is missing"},
      {":2222", "the host is missing"},
      {":", "the host is missing"},
      {"localhost:http", "the port 'http' is not a number"},
      {"localhost:-1", "the port '-1' is not a number"},
      {"localhost: 80", "the port ' 80' is not a number"},
      {"localhost:65536", "greater than 65535"},
      {"localhost:99999999999999999999", "greater than 65535"},
      {"::1:2222", "in brackets"},
      {"[::1:2222", "closing bracket is missing"},
      {"[::1]2222", "only a colon and a port"},
      {"[localhost]:1", "not an IPv6 address"},
      {"[]:1", "not an IPv6 address"},
      {"grpc://localhost:1", "without 'grpc://'"},
      {"a:1,b:2", "this is a list"},
      {"a b:1", "must not contain ' '"},
      {"a/b:1", "must not contain '/'"},
      {"a\n:1", "control characters"},
      {"unix:", "path of the unix socket is missing"},
      {"unix:/" + std::string(200, 'x'), "the path has 201 bytes"},
  };
  for (const auto& [text, why] : cases) {
    const std::string error = ErrorOf(Address::Parse(text).status());
    EXPECT_THAT(error, HasSubstr(why)) << text;
    EXPECT_THAT(error, HasSubstr(text));
  }
}

TEST(ClusterSpecTest, KeepsJobsAndTasks) {
  const Jobs jobs = {{"ps", {{0, "a:1"}, {1, "b:1"}}}, {"worker", {{3, "c:1"}}}, {"idle", {}}};
  const ClusterSpec spec = ClusterSpec::Make(jobs).value();
  EXPECT_EQ(spec.jobs(), jobs);
  EXPECT_FALSE(spec.empty());
  EXPECT_TRUE(ClusterSpec().empty());
  EXPECT_EQ(*spec.TasksOf("worker").value(), (ClusterSpec::Tasks{{3, "c:1"}}));
  EXPECT_TRUE(spec.TasksOf("idle").value()->empty());
  EXPECT_EQ(spec.TaskAddress("ps", 1).value(), "b:1");

  EXPECT_EQ(spec.TasksOf("master").status(), NotFound("No such job in cluster: 'master'; it has idle, ps, worker"));
  EXPECT_EQ(spec.TaskAddress("master", 0).status(),
            NotFound("No such job in cluster: 'master'; it has idle, ps, worker"));
  EXPECT_EQ(spec.TaskAddress("worker", 0).status(), NotFound("No task with index 0 in job 'worker'; it has 3"));
  EXPECT_EQ(spec.TaskAddress("ps", 2).status(), NotFound("No task with index 2 in job 'ps'; it has 0 to 1"));
  EXPECT_EQ(spec.TaskAddress("idle", 0).status(), NotFound("No task with index 0 in job 'idle'; it has none"));

  EXPECT_EQ(spec, ClusterSpec::Make(jobs).value());
  EXPECT_FALSE(spec == ClusterSpec());
}

TEST(ClusterSpecTest, Proto) {
  const ClusterSpec spec =
      ClusterSpec::Make({{"worker", {{3, "c:1"}}}, {"ps", {{0, "a:1"}, {1, "b:1"}}}, {"idle", {}}}).value();
  const tensorflow::ClusterDef def = spec.ToProto();
  ASSERT_EQ(def.job_size(), 3);
  EXPECT_EQ(def.job(0).name(), "idle");
  EXPECT_EQ(def.job(1).tasks().at(1), "b:1");
  EXPECT_EQ(ClusterSpec::FromProto(def).value(), spec);

  tensorflow::ClusterDef twice;
  for (int i = 0; i < 2; ++i) twice.add_job()->set_name("ps");
  EXPECT_THAT(ErrorOf(ClusterSpec::FromProto(twice).status()), HasSubstr("duplicate job 'ps' in the cluster"));
}

TEST(ClusterSpecTest, ErrorsNameJobAndTask) {
  for (const char* name : {"", "1a", "_a", "a-b", "a b", "/job:a", "\xc3\xa9"}) {
    EXPECT_FALSE(IsJobName(name));
    EXPECT_THAT(ErrorOf(ClusterSpec::Make({{name, {}}}).status()),
                HasSubstr(fmt::format("'{}' is not a job name", name)));
  }
  for (const char* name : {"a", "ps", "my_Job_7"}) EXPECT_TRUE(ClusterSpec::Make({{name, {}}}).ok());

  EXPECT_THAT(ErrorOf(ClusterSpec::Make({{"ps", {{-1, "a:1"}}}}).status()),
              HasSubstr("task -1 of job 'ps': the index of a task must not be negative"));
  EXPECT_EQ(ErrorOf(ClusterSpec::Make({{"ps", {{0, "a:1"}, {2, "b"}}}}).status()),
            "task 2 of job 'ps': address 'b': the port is missing");
}

TEST(ClusterSpecTest, TwoTasksDoNotShareAnAddress) {
  EXPECT_EQ(ErrorOf(ClusterSpec::Make({{"ps", {{0, "a:1"}}}, {"worker", {{0, "b:1"}, {1, "a:01"}}}}).status()),
            "task 0 of job 'ps' and task 1 of job 'worker' have the same address, a:01");
  EXPECT_THAT(ErrorOf(ClusterSpec::Make({{"ps", {{0, "unix:/a"}, {1, "unix:///a"}}}}).status()),
              HasSubstr("have the same address"));
  // Port 0 means any free port, so two tasks may both have it.
  EXPECT_TRUE(ClusterSpec::Make({{"ps", {{0, "localhost:0"}, {1, "localhost:0"}}}}).ok());
}

TEST(ClusterSpecTest, AddressesWithoutAPort) {
  const Jobs jobs = {{"ps", {{0, "ps0"}, {1, "ps0"}}}, {"worker", {{0, ""}}}};
  EXPECT_EQ(ErrorOf(ClusterSpec::Make(jobs).status()), "task 0 of job 'ps': address 'ps0': the port is missing");
  const Result<ClusterSpec> spec = ClusterSpec::Make(jobs, ClusterSpec::Addresses::kMayLackPort);
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_EQ(ClusterSpec::FromProto(spec->ToProto(), ClusterSpec::Addresses::kMayLackPort).value(), *spec);
  EXPECT_FALSE(ClusterSpec::FromProto(spec->ToProto()).ok());
  EXPECT_TRUE(ClusterSpec::Make({{"ps", {{0, "a:1"}}}}).ok());

  for (const char* wrong : {"a:x", ":1", "grpc://a", "a b", "a,b", "[::1]", "unix:"}) {
    const Status status = ClusterSpec::Make({{"ps", {{0, wrong}}}}, ClusterSpec::Addresses::kMayLackPort).status();
    EXPECT_THAT(ErrorOf(status), HasSubstr("task 0 of job 'ps'")) << wrong;
  }
}

}  // namespace
}  // namespace weir
