// Compares optimizer updates with values computed by TensorFlow, for reference and resource variables and all types.
// Also tests errors and shapes.
#include <gtest/gtest.h>

#include <cmath>

#include "absl/strings/str_split.h"
#include "op/testing.h"
#include "ops/state/state_ops_test.h"

namespace weir::ops::apply_ops_test {
namespace {

std::vector<double> Numbers(std::string_view text) {
  std::vector<double> numbers;
  for (const std::string& word : std::vector<std::string>(absl::StrSplit(std::string(text), ' ', absl::SkipEmpty()))) {
    numbers.push_back(std::stod(word));
  }
  return numbers;
}

// Expected results of two steps: "op [attr=value]: scalars -> slots after". The slots start as kSlots. The gradient is
// kGradient; sparse ops get kRows for the rows 2, 0, 2 and 1 of slots of shape [3,2].
constexpr char kExpected[] = R"(
ApplyGradientDescent: 0.1 -> 0.9400001 -1.88 -0.35 3.02 0 -0.8
ApplyProximalGradientDescent: 0.1 0 0.2 -> 0.902922 -1.805844 -0.3402538 2.902922 0 -0.7718186
ApplyProximalGradientDescent: 0.1 0.5 0.2 -> 0.8058439 -1.708766 -0.2431757 2.805844 0 -0.6747404
SparseApplyProximalGradientDescent: 0.1 0 0.2 -> 0.5728566 -1.902922 0.1257209 2.844675 -0.1911405 -0.6372291
SparseApplyProximalGradientDescent: 0.1 0.5 0.2 -> 0.4757785 -1.805844 0.02864283 2.747597 -0.01960784 -0.4468426
ApplyAdadelta: 0.5 0.9 0.01 -> 0.2358396 -1.580947 -2.263498 3.091424 0 -1.281387 / 0.0981 0.2304 1.003 0.3259 0.405 0.9135001 / 0.6779263 0.1143689 1.745925 0.2445881 0.405 0.2780163
SparseApplyAdadelta: 0.5 0.9 0.01 -> -1.383067 -1.924031 0.7509323 2.817887 -1.009812 -0.9226058 / 0.8410002 0.1639 0.2734 0.3316 0.431401 0.8595541 / 1.646003 0.08209667 0.8223423 0.2493015 0.4318924 0.2610829
ApplyAdagrad update_slots=true: 0.1 -> 0.8744806 -1.857267 -0.1158696 3.031048 0 -0.6552734 / 0.28 0.92 8.3 0.42 0.5 5.1
ApplyAdagrad update_slots=false: 0.1 -> 0.8102634 -1.731672 -0.6802967 3.031623 0 -0.8872983 / 0.1 0.2 0.3 0.4 0.5 0.6
SparseApplyAdagrad update_slots=true: 0.1 -> 0.8309542 -1.956858 0.1597768 2.940981 -0.1884798 -0.5529062 / 8.1 0.22 0.6200001 0.48 1.66 5.82
SparseApplyAdagrad update_slots=false: 0.1 -> -0.2649111 -1.955279 0.1960593 2.936754 -0.2828427 -0.732379 / 0.1 0.2 0.3 0.4 0.5 0.6
ApplyAdagradDA: 0.1 0 0.2 3 -> -0.07013445 0.1035691 -0.1412946 -0.03196495 -0.06517997 -0.1615836 / 0.7 -1 4.3 0.2 0.5 3.6 / 0.88 0.8200001 8.9 0.32 0.5 4.7
ApplyAdagradDA: 0.1 0.3 0.2 3 -> -0 0.01035691 -0.1117213 -0 -0 -0.1211877 / 0.7 -1 4.3 0.2 0.5 3.6 / 0.88 0.8200001 8.9 0.32 0.5 4.7
SparseApplyAdagradDA: 0.1 0 0.2 3 -> -0.1362318 -0 0.04293555 -0.118266 -0.1854036 -0.1004988 / 4.1 0 -0.5 0.8 2.5 2.4 / 8.7 0.12 1.22 0.38 1.66 5.42
SparseApplyAdagradDA: 0.1 0.3 0.2 3 -> -0.1063273 -0 0 -0 -0.1186583 -0.06281172 / 4.1 0 -0.5 0.8 2.5 2.4 / 8.7 0.12 1.22 0.38 1.66 5.42
ApplyProximalAdagrad: 0.1 0 0.2 -> 0.8032689 -1.770378 -0.1146301 2.851703 0 -0.6426872 / 0.28 0.92 8.3 0.42 0.5 5.1
ApplyProximalAdagrad: 0.1 0.5 0.2 -> 0.6065379 -1.655568 -0.07367732 2.703406 0 -0.5917275 / 0.28 0.92 8.3 0.42 0.5 5.1
SparseApplyProximalAdagrad: 0.1 0 0.2 -> 0.8164026 -1.797489 0.1527748 2.77398 -0.1803177 -0.5290831 / 8.1 0.22 0.6200001 0.48 1.66 5.82
SparseApplyProximalAdagrad: 0.1 0.5 0.2 -> 0.7746758 -1.594977 0.02101222 2.632717 -0.01566437 -0.4069343 / 8.1 0.22 0.6200001 0.48 1.66 5.82
ApplyFtrl multiply_linear_by_lr=false: 0.1 0.3 0.2 -0.5 -> 0 -0.602407 -0.1553837 0 -0.02676993 -0.410596 / 0.28 0.92 8.3 0.42 0.5 5.1 / 0.1033787 6.319048 4.838715 -0.1357071 0.5 9.736801
ApplyFtrl multiply_linear_by_lr=true: 0.1 0.3 0.2 -0.5 -> -1.272189 -0.7165722 -0.5386081 -0.3329971 -0.6290935 -0.5147509 / 0.28 0.92 8.3 0.42 0.5 5.1 / 0.7540669 0.7459748 1.603259 0.2591267 0.5 1.213061
ApplyFtrl multiply_linear_by_lr=false: 0.1 0.3 0.2 -0.7 -> 0 -0.7947731 -0.09573698 0 -0.0305077 -0.4390837 / 0.28 0.92 8.3 0.42 0.5 5.1 / 0.168265 8.115032 4.549771 -0.1754146 0.5 14.2112
ApplyFtrl multiply_linear_by_lr=true: 0.1 0.3 0.2 -0.7 -> -1.730448 -0.9221807 -0.3833735 -0.3866623 -0.7169309 -0.5239265 / 0.28 0.92 8.3 0.42 0.5 5.1 / 0.8090723 0.9367836 1.731798 0.2561382 0.5 1.689921
SparseApplyFtrl multiply_linear_by_lr=false: 0.1 0.3 0.2 -0.5 -> 0.6128916 0 0 0 -0.206174 -0.1439261 / 8.1 0.22 0.6200001 0.48 1.66 5.82 / -17.98836 0.1208799 0.05522525 -0.2313703 3.038836 3.829742
SparseApplyFtrl multiply_linear_by_lr=true: 0.1 0.3 0.2 -0.5 -> 0.3077839 -0.1451053 -1.098184 -0.3079469 -0.7630256 -0.3204321 / 8.1 0.22 0.6200001 0.48 1.66 5.82 / -0.9182798 0.1038647 0.9386384 0.2556698 1.043611 0.8158493
SparseApplyFtrl multiply_linear_by_lr=false: 0.1 0.3 0.2 -0.7 -> 0.7561867 0 0 0.01674134 -0.2059897 -0.1495984 / 8.1 0.22 0.6200001 0.48 1.66 5.82 / -33.30404 0.1252257 0.0520778 -0.4068484 3.319513 5.492861
SparseApplyFtrl multiply_linear_by_lr=true: 0.1 0.3 0.2 -0.7 -> 0.5249964 -0.1939564 -1.272227 -0.3315859 -0.8214262 -0.3274941 / 8.1 0.22 0.6200001 0.48 1.66 5.82 / -2.321366 0.104963 0.991303 0.2416284 1.234092 1.166798
ApplyFtrlV2 multiply_linear_by_lr=false: 0.1 0.3 0.2 0.15 -0.5 -> -0.01816369 -0.5086919 -0.1551934 -0.06479637 -0.02569499 -0.397522 / 0.28 0.92 8.3 0.42 0.5 5.1 / 0.4033787 5.382678 4.833158 0.745847 0.491969 9.43632
ApplyFtrlV2 multiply_linear_by_lr=true: 0.1 0.3 0.2 0.15 -0.5 -> -1.267627 -0.6194292 -0.5344819 -0.444369 -0.6038323 -0.5003175 / 0.28 0.92 8.3 0.42 0.5 5.1 / 0.7514704 0.6489128 1.591207 0.3357588 0.4811272 1.179889
ApplyFtrlV2 multiply_linear_by_lr=false: 0.1 0.3 0.2 0.15 -0.7 -> -0.03737445 -0.6863164 -0.09592353 -0.0693437 -0.02911162 -0.428371 / 0.28 0.92 8.3 0.42 0.5 5.1 / 0.4682651 7.048574 4.558052 0.7055545 0.4908477 13.87179
ApplyFtrlV2 multiply_linear_by_lr=true: 0.1 0.3 0.2 0.15 -0.7 -> -1.698971 -0.8098369 -0.3816161 -0.5142549 -0.684123 -0.5124105 / 0.28 0.92 8.3 0.42 0.5 5.1 / 0.7949005 0.8263155 1.723997 0.3307604 0.4784921 1.653436
SparseApplyFtrlV2 multiply_linear_by_lr=false: 0.1 0.3 0.2 0.15 -0.5 -> 0.5914223 0.03458828 0 -0.05100738 -0.1977587 -0.1265872 / 8.1 0.22 0.6200001 0.48 1.66 5.82 / -17.36874 -0.4760688 0.0662505 0.6737925 2.927047 3.40451
SparseApplyFtrlV2 multiply_linear_by_lr=true: 0.1 0.3 0.2 0.15 -0.5 -> 0.2894863 -0.02207311 -1.058626 -0.4191826 -0.7127527 -0.295412 / 8.1 0.22 0.6200001 0.48 1.66 5.82 / -0.865472 0.04123613 0.9059079 0.3371856 0.9768278 0.7544883
SparseApplyFtrlV2 multiply_linear_by_lr=false: 0.1 0.3 0.2 0.15 -0.7 -> 0.7397407 0.04424646 0 -0.03294059 -0.197602 -0.1319462 / 8.1 0.22 0.6200001 0.48 1.66 5.82 / -32.58625 -0.47101 0.06357586 0.510237 3.196561 4.880116
SparseApplyFtrlV2 multiply_linear_by_lr=true: 0.1 0.3 0.2 0.15 -0.7 -> 0.5101394 -0.02946669 -1.221935 -0.4597388 -0.7687182 -0.3038983 / 8.1 0.22 0.6200001 0.48 1.66 5.82 / -2.256522 0.04138871 0.9533016 0.3234195 1.15683 1.084892
ApplyMomentum use_nesterov=false: 0.1 0.9 -> 0.8959 -1.8602 -0.5813 2.9606 -0.08549999 -1.0376 / 0.651 -0.978 4.043 0.134 0.405 3.336
ApplyMomentum use_nesterov=true: 0.1 0.9 -> 0.84631 -1.75418 -0.91817 2.98454 -0.07694999 -1.28384 / 0.651 -0.978 4.043 0.134 0.405 3.336
SparseApplyMomentum use_nesterov=false: 0.1 0.9 -> 0.4029 -2.0052 0.1147 2.8736 -0.574625 -0.921866 / 3.881 -0.02800001 -0.517 0.704 2.08375 2.13126
SparseApplyMomentum use_nesterov=true: 0.1 0.9 -> 0.06261003 -1.98468 0.18823 2.84624 -0.7171625 -1.059679 / 3.881 -0.02800001 -0.517 0.704 2.08375 2.13126
ApplyKerasMomentum use_nesterov=false: 0.1 0.9 -> 1.084 -1.484 -0.01699999 3.713 0.855 0.09100002 / 0.02399999 0.276 -0.137 0.343 0.405 0.201
ApplyKerasMomentum use_nesterov=true: 0.1 0.9 -> 1.0156 -1.4156 -0.4103 3.6617 0.7694999 -0.2681 / 0.02399999 0.276 -0.137 0.343 0.405 0.201
SparseApplyKerasMomentum use_nesterov=false: 0.1 0.9 -> 0.591 -1.629 0.679 3.626 1.12768 1.1209 / -0.299 0.181 0.319 0.286 0.15248 0.2199
SparseApplyKerasMomentum use_nesterov=true: 0.1 0.9 -> 0.2319 -1.6461 0.6960999 3.5234 0.8149119 0.77881 / -0.299 0.181 0.319 0.286 0.15248 0.2199
ApplyAdam use_nesterov=false: 0.9 0.99 0.1 0.9 0.99 0.01 -> 0.9693244 -2.050687 -0.06109833 2.881734 -0.1201032 -0.7978592 / 0.138 0.04799996 0.6230001 0.305 0.405 0.7710001 / 0.687861 0.105174 0.9616899 0.294229 0.49005 0.240795
ApplyAdam use_nesterov=true: 0.9 0.99 0.1 0.9 0.99 0.01 -> 0.9652593 -2.009506 -0.09069236 2.897172 -0.1080928 -0.8293085 / 0.138 0.04799996 0.6230001 0.305 0.405 0.7710001 / 0.687861 0.105174 0.9616899 0.294229 0.49005 0.240795
ApplyAdaMax: 0.9 0.1 0.9 0.99 0.01 -> 0.6310471 -2.27541 -0.493781 0.856745 -1.701008 -1.46755 / 0.138 0.04799996 0.6230001 0.305 0.405 0.7710001 / 0.68607 0.6 2 0.29403 0.49005 1.5
ApplyRMSProp: 0.1 0.9 0.5 0.01 -> 0.2474541 -1.763311 -1.187516 2.816881 -0.375 -1.061672 / 0.0981 0.2304 1.003 0.3259 0.405 0.9135001 / 0.3116786 -0.160478 0.5449803 0.04953693 0.125 0.2912835
SparseApplyRMSProp: 0.1 0.9 0.5 0.01 -> -0.1660669 -2.016698 -0.4395797 2.691725 -0.9027721 -0.897389 / 0.8410002 0.1639 0.2734 0.3316 0.431401 0.8595541 / 0.5332243 -0.01042078 0.1131012 0.1255711 0.1903025 0.1712869
ApplyCenteredRMSProp: 0.1 0.9 0.5 0.01 -> 0.8664503 -1.515527 -0.5898923 3.287532 -0.1125 nan / 0.138 0.04799996 0.6230001 0.305 0.405 0.7710001 / 0.5841 0.1494 1.489 0.2449 0.405 0.5895001 / 0.07089051 -0.2624109 0.3398022 -0.1124138 0.0375 nan
SparseApplyCenteredRMSProp: 0.1 0.9 0.5 0.01 -> 0.4670523 -1.831985 0.01425368 3.089142 -0.778374 nan / 0.4610001 0.143 0.167 0.362 0.50362 0.56742 / 1.327 0.0829 0.7594 0.2506 0.431401 0.5971141 / 0.3033862 -0.08077261 -0.01905233 0.007329371 0.2492089 nan
ApplyAddSign: 0.1 1 0.8 0.9 -> 0.892 -1.976 -0.67 3.004 0 -1.04 / 0.138 0.04799996 0.6230001 0.305 0.405 0.7710001
ApplyPowerSign: 0.1 1 0.8 0.9 -> 0.8664675 -1.94608 -0.8402163 3.008986 0 -1.167662 / 0.138 0.04799996 0.6230001 0.305 0.405 0.7710001
)";
const std::vector<std::vector<double>> kSlots = {
    {1, -2, .05, 3, 0, -.5}, {.1, .2, .3, .4, .5, .6}, {.7, .1, .9, .3, .5, .2}, {.05, -.1, .2, -.3, .15, .1}};
const std::vector<double> kGradient = {.3, -.6, 2, -.1, 0, 1.5};
const std::vector<double> kRows = {.3, -.6, 2, -.1, .7, 1.5, -.4, .2};

struct Case {
  std::string op;
  AttrMap attrs;
  std::vector<double> scalars;
  std::vector<std::vector<double>> slots;
  bool sparse() const { return op.find("Sparse") == 0; }
};

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(kExpected, '\n', absl::SkipEmpty()))) {
    Case c;
    const std::vector<std::string> halves = absl::StrSplit(line, absl::ByString(" -> "));
    const std::vector<std::string> left = absl::StrSplit(halves[0], absl::ByString(": "));
    const std::vector<std::string> words = absl::StrSplit(left[0], ' ');
    c.op = words[0];
    if (words.size() > 1) {
      const std::vector<std::string> attr = absl::StrSplit(words[1], '=');
      c.attrs.emplace(attr[0], attr[1] == "true");
    }
    c.scalars = Numbers(left[1]);
    for (const std::string& slot : std::vector<std::string>(absl::StrSplit(halves[1], absl::ByString(" / ")))) {
      c.slots.push_back(Numbers(slot));
    }
    cases.push_back(std::move(c));
  }
  return cases;
}

template <class T>
Tensor Make(const Shape& shape, const std::vector<double>& values) {
  std::vector<T> cast;
  for (double v : values) cast.push_back(T(static_cast<float>(v)));
  if constexpr (std::is_same_v<T, double>) cast.assign(values.begin(), values.end());
  return Tensor::Of<T>(shape, absl::Span<const T>(cast));
}

Tensor Handle(const std::string& name) {
  return Tensor::Scalar(
      ResourceHandle{.device = "", .container = "localhost", .name = name, .type_hash = 0, .type_name = ""});
}

// Appends the inputs after the variables, as required by the op's schema.
template <class T>
void AddInputs(const OpDef& op, const Case& c, std::vector<EdgeValue>* inputs) {
  size_t scalar = 0;
  for (size_t i = inputs->size(); i < op.inputs.size(); ++i) {
    const std::string& name = op.inputs[i].name;
    Tensor value;
    if (name == "grad" || name == "delta") {
      value = c.sparse() ? Make<T>({4, 2}, kRows) : Make<T>({6}, kGradient);
    } else if (name == "indices") {
      value = Tensor::Vector<int32_t>({2, 0, 2, 1});
    } else if (name == "global_step") {
      value = Tensor::Scalar<int64_t>(static_cast<int64_t>(c.scalars[scalar++]));
    } else {
      value = Make<T>({}, {c.scalars[scalar++]});
    }
    inputs->push_back(KernelTester::Value(value));
  }
}

template <class T>
void ExpectNear(const Tensor& got, const std::vector<double>& want, double tolerance, const std::string& what) {
  ASSERT_EQ(got.num_elements(), static_cast<int64_t>(want.size()));
  for (size_t i = 0; i < want.size(); ++i) {
    const double value = static_cast<double>(got.data<T>()[i]);
    if (std::isnan(want[i])) {
      EXPECT_TRUE(std::isnan(value)) << what << " [" << i << "]";
    } else {
      EXPECT_NEAR(value, want[i], tolerance * (1 + std::abs(want[i]))) << what << " [" << i << "]";
    }
  }
}

template <class T>
void CheckRef(const Case& c, double tolerance) {
  const OpDef* op = StateOps().Find(c.op);
  if (op == nullptr) return;
  KernelTester tester(StateOps());
  const Shape shape = c.sparse() ? Shape{3, 2} : Shape{6};
  std::vector<EdgeValue> variables;
  for (size_t k = 0; k < c.slots.size(); ++k) {
    variables.push_back(KernelTester::Variable(DTypeOf<T>(), Make<T>(shape, kSlots[k])));
  }
  for (int step = 0; step < 2; ++step) {
    std::vector<EdgeValue> inputs = variables;
    AddInputs<T>(*op, c, &inputs);
    auto out = tester.RunEdges(c.op, std::move(inputs), c.attrs);
    ASSERT_TRUE(out.ok()) << c.op << out.status();
    EXPECT_EQ((*out)[0].ref.get(), variables[0].ref.get());
  }
  for (size_t k = 0; k < c.slots.size(); ++k) {
    ExpectNear<T>(variables[k].ref->Read(), c.slots[k], tolerance, c.op + " slot " + std::to_string(k));
  }
}

template <class T>
void CheckResource(const Case& c, double tolerance) {
  const std::string name = "Resource" + c.op;
  const OpDef* op = StateOps().Find(name);
  if (op == nullptr) return;
  KernelTester tester(StateOps(), 0);
  const Shape shape = c.sparse() ? Shape{3, 2} : Shape{6};
  std::vector<EdgeValue> handles;
  for (size_t k = 0; k < c.slots.size(); ++k) {
    handles.push_back(KernelTester::Value(Handle("slot" + std::to_string(k))));
    ASSERT_TRUE(tester.Run("AssignVariableOp", {handles.back().tensor, Make<T>(shape, kSlots[k])}).ok());
  }
  auto read = [&](size_t k) {
    auto value = tester.Run("ReadVariableOp", {handles[k].tensor}, {{"dtype", DTypeOf<T>()}});
    return value.ok() ? (*value)[0] : Tensor();
  };
  const Tensor before = read(0);
  for (int step = 0; step < 2; ++step) {
    std::vector<EdgeValue> inputs = handles;
    AddInputs<T>(*op, c, &inputs);
    auto out = tester.RunEdges(name, std::move(inputs), c.attrs);
    ASSERT_TRUE(out.ok()) << name << out.status();
  }
  for (size_t k = 0; k < c.slots.size(); ++k) {
    ExpectNear<T>(read(k), c.slots[k], tolerance, name + " slot " + std::to_string(k));
  }
  ExpectNear<T>(before, kSlots[0], 1e-2, name + ": a value read before the update");
}

TEST(ApplyOps, MatchTensorFlowForBothKindsOfVariables) {
  const std::vector<Case> cases = Cases();
  ASSERT_GT(cases.size(), 40u);
  for (const Case& c : cases) {
    ASSERT_TRUE(StateOps().Find(c.op) != nullptr || StateOps().Find("Resource" + c.op) != nullptr) << c.op;
    CheckRef<float>(c, 3e-6);
    CheckRef<double>(c, 3e-6);
    CheckResource<float>(c, 3e-6);
    CheckResource<double>(c, 3e-6);
    if (c.op.find("CenteredRMSProp") != std::string::npos) continue;  // subtracts nearly equal numbers
    CheckRef<half>(c, 2e-2);
    CheckRef<bfloat16>(c, 8e-2);
    CheckResource<half>(c, 2e-2);
  }
}

TEST(ApplyOps, EveryLaneOfALongArrayIsUpdated) {
  for (int64_t n : {0, 1, 7, 8, 15, 16, 33, 200000}) {
    std::vector<double> value(n), slot(n, 1.0), grad(n);
    for (int64_t i = 0; i < n; ++i) grad[i] = static_cast<double>(i % 17) / 8;
    KernelTester tester(StateOps());
    EdgeValue var = KernelTester::Variable(kFloat, Make<float>({n}, value));
    EdgeValue accum = KernelTester::Variable(kFloat, Make<float>({n}, slot));
    auto out = tester.RunEdges("ApplyAdagrad", {var, accum, KernelTester::Value(Tensor::Scalar(0.5f)),
                                                KernelTester::Value(Make<float>({n}, grad))});
    ASSERT_TRUE(out.ok()) << out.status();
    const Tensor result = var.ref->Read();
    for (int64_t i = 0; i < n; ++i) {
      ASSERT_NEAR(result.data<float>()[i], -0.5 * grad[i] / std::sqrt(1 + grad[i] * grad[i]), 1e-6) << i << " of " << n;
    }
  }
}

TEST(ApplyOps, LargeSparseUpdatesKeepTheOrderOfDuplicates) {
  constexpr int64_t kCount = 20000;
  std::vector<int64_t> indices(kCount);
  std::vector<double> grad(kCount * 4);
  std::vector<double> expected(20, 0.0), accum(20, 0.0);
  for (int64_t k = 0; k < kCount; ++k) {
    indices[k] = (k * 7) % 5;
    for (int64_t i = 0; i < 4; ++i) {
      const double g = grad[k * 4 + i] = (k % 2 == 0 ? 1.0 : -1.0);
      double& a = accum[indices[k] * 4 + i];
      a = a * 0.5 + g;
      expected[indices[k] * 4 + i] -= a * 0.25;
    }
  }
  KernelTester tester(StateOps());
  EdgeValue var = KernelTester::Variable(kDouble, Make<double>({5, 4}, std::vector<double>(20, 0.0)));
  EdgeValue slot = KernelTester::Variable(kDouble, Make<double>({5, 4}, std::vector<double>(20, 0.0)));
  auto out = tester.RunEdges(
      "SparseApplyMomentum",
      {var, slot, KernelTester::Value(Tensor::Scalar(0.25)), KernelTester::Value(Make<double>({kCount, 4}, grad)),
       KernelTester::Value(Tensor::Vector<int64_t>(absl::Span<const int64_t>(indices))),
       KernelTester::Value(Tensor::Scalar(0.5))});
  ASSERT_TRUE(out.ok()) << out.status();
  ExpectNear<double>(var.ref->Read(), expected, 1e-9, "var");
}

Status RunSparseAdagrad(EdgeValue var, EdgeValue accum, Tensor grad, Tensor indices) {
  return KernelTester(StateOps())
      .RunEdges("SparseApplyAdagrad", {std::move(var), std::move(accum), KernelTester::Value(Tensor::Scalar(1.f)),
                                       KernelTester::Value(std::move(grad)), KernelTester::Value(std::move(indices))})
      .status();
}

TEST(ApplyOps, ABadIndexChangesNothing) {
  EdgeValue var = KernelTester::Variable(kFloat, Make<float>({2, 1}, {1, 2}));
  EdgeValue accum = KernelTester::Variable(kFloat, Make<float>({2, 1}, {1, 1}));
  for (int bad : {-1, 2}) {
    Status status = RunSparseAdagrad(var, accum, Make<float>({2, 1}, {5, 5}), Tensor::Vector<int32_t>({0, bad}));
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(status.message().find("indices[1]"), absl::string_view::npos) << status;
  }
  ExpectNear<float>(var.ref->Read(), {1, 2}, 0, "var");
  ExpectNear<float>(accum.ref->Read(), {1, 1}, 0, "accum");
}

TEST(ApplyOps, ErrorsNameMismatchedShapes) {
  EdgeValue var = KernelTester::Variable(kFloat, Make<float>({2}, {1, 2}));
  EdgeValue gone = KernelTester::Variable(kFloat);
  KernelTester tester(StateOps());
  auto lr = KernelTester::Value(Tensor::Scalar(1.f));
  auto vector = KernelTester::Value(Make<float>({2}, {1, 1}));
  auto result = tester.RunEdges("ApplyAdagrad", {var, gone, lr, vector});
  EXPECT_EQ(result.status().code(), StatusCode::kFailedPrecondition);
  const Tensor handle = Handle("v");
  ASSERT_TRUE(tester.Run("AssignVariableOp", {handle, Make<float>({2}, {1, 2})}).ok());
  auto wrong = tester.Run("ResourceApplyGradientDescent", {handle, Tensor::Scalar(1.f), Make<float>({3}, {1, 1, 1})});
  EXPECT_EQ(wrong.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(wrong.status().message().find("[2] [3]"), absl::string_view::npos) << wrong.status();
  auto missing =
      tester.Run("ResourceApplyGradientDescent", {Handle("none"), Tensor::Scalar(1.f), Make<float>({1}, {1})});
  EXPECT_EQ(missing.status().code(), StatusCode::kNotFound);
  auto type = tester.Run("ResourceApplyGradientDescent", {handle, Tensor::Scalar(1.0), Make<double>({2}, {1, 1})});
  EXPECT_EQ(type.status().code(), StatusCode::kInvalidArgument);
}

TEST(ApplyOps, Shapes) {
  EXPECT_EQ(ShapeTest(StateOps(), "ApplyAdagrad", "[?,2];[3,?];[];?"), "[3,2]");
  EXPECT_EQ(ShapeTest(StateOps(), "ApplyAdagrad", "[2];[2];[];[3]").find("error"), 0u);
  EXPECT_EQ(ShapeTest(StateOps(), "ApplyAdagrad", "[2];[2];[1];[2]").find("error"), 0u);
  EXPECT_EQ(ShapeTest(StateOps(), "SparseApplyAdagrad", "[?,2];[3,?];[];[5,2];[5]"), "[3,2]");
  EXPECT_EQ(ShapeTest(StateOps(), "SparseApplyAdagrad", "[3,2];[3,2];[];[5,2];[4]").find("error"), 0u);
  EXPECT_EQ(ShapeTest(StateOps(), "SparseApplyAdagrad", "[3,2];[3,2];[];[5,3];[5]").find("error"), 0u);
}

}  // namespace
}  // namespace weir::ops::apply_ops_test
