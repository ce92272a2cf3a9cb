// tf.contrib.opt, changes of gradients, and parts of slim's training and evaluation.
#include "bind/arguments.h"
#include "bind/contrib.h"
#include "bind/files.h"
#include "bind/optimizer_steps.h"
#include "bind/ownership.h"
#include "bind/process.h"
#include "bind/queue.h"
#include "bind/session_manager.h"
#include "bind/train.h"
#include "bind/variables.h"
#include "graph/float_ops.h"
#include "train/bucketing.h"
#include "train/checkpoint_wait.h"
#include "train/contrib_optimizers.h"
#include "train/gradient_edits.h"
#include "train/resampling.h"
#include "train/train_loop.h"

namespace weir::python {
namespace {

OptimizerOptions OptionsNamed(bool use_locking, const std::string& name) {
  return {.use_locking = use_locking, .name = name};
}

void BindContribOptimizers(py::module_& m) {
  const py::arg_v locking = py::arg("use_locking") = false;
  BindOptimizer<AdaMaxOptimizer>(m, "AdaMaxOptimizer",
                                 {{"learning_rate", "learning_rate", "_lr", "_lr_t"},
                                  {"beta1", "beta1", "_beta1", "_beta1_t"},
                                  {"beta2", "beta2", "_beta2", "_beta2_t"},
                                  {"epsilon", "epsilon", "_epsilon", "_epsilon_t"}})
      .def(py::init([](py::object rate, float beta1, py::object beta2, py::object epsilon, bool use_locking,
                       const std::string& name) {
             return MakeOptimizer<AdaMaxOptimizer>(HyperParamFrom(rate), beta1, HyperParamFrom(beta2),
                                                   HyperParamFrom(epsilon), OptionsNamed(use_locking, name));
           }),
           py::arg("learning_rate") = 0.001, py::arg("beta1") = 0.9f, py::arg("beta2") = 0.999f,
           py::arg("epsilon") = 1e-8, locking, py::arg("name") = "AdaMax", KeepArgumentsAlive(), StoreArguments());
  py::enum_<AdamKind>(m, "AdamKind")
      .value("LAZY", AdamKind::kLazy)
      .value("NESTEROV", AdamKind::kNesterov)
      .value("AMSGRAD", AdamKind::kAmsgrad);
  BindOptimizer<AdamVariantOptimizer>(m, "AdamVariantOptimizer",
                                      {{"learning_rate", "learning_rate", "_lr", "_lr_t"},
                                       {"beta1", "beta1", "_beta1", "_beta1_t"},
                                       {"beta2", "beta2", "_beta2", "_beta2_t"},
                                       {"epsilon", "epsilon", "_epsilon", "_epsilon_t"}})
      .def(py::init([](AdamKind kind, py::object rate, float beta1, float beta2, py::object epsilon, bool use_locking,
                       const std::string& name) {
             return MakeOptimizer<AdamVariantOptimizer>(kind, HyperParamFrom(rate), beta1, beta2,
                                                        HyperParamFrom(epsilon), OptionsNamed(use_locking, name));
           }),
           py::arg("kind"), py::arg("learning_rate"), py::arg("beta1"), py::arg("beta2"), py::arg("epsilon"),
           py::arg("use_locking"), py::arg("name"), KeepArgumentsAlive(), StoreArguments());
  py::enum_<SignKind>(m, "SignKind").value("ADD", SignKind::kAdd).value("POWER", SignKind::kPower);
  BindOptimizer<SignOptimizer>(m, "SignOptimizer",
                               {{"learning_rate", "learning_rate", "_lr", "_lr_t"},
                                {"amount", "amount", "_amount", "_amount_t"},
                                {"beta", "beta", "_beta", "_beta_t"},
                                {"sign_decay", "sign_decay", "", ""}})
      .def(py::init([](SignKind kind, py::object rate, py::object amount, py::object beta, py::object sign_decay,
                       bool use_locking, const std::string& name) {
             return MakeOptimizer<SignOptimizer>(kind, HyperParamFrom(rate), HyperParamFrom(amount),
                                                 HyperParamFrom(beta), HyperParamFrom(sign_decay),
                                                 OptionsNamed(use_locking, name));
           }),
           py::arg("kind"), py::arg("learning_rate"), py::arg("amount"), py::arg("beta"), py::arg("sign_decay"),
           py::arg("use_locking"), py::arg("name"), KeepArgumentsAlive(), StoreArguments());
  BindOptimizer<LarsOptimizer>(m, "LARSOptimizer",
                               {{"learning_rate", "learning_rate", "_learning_rate", "_learning_rate_tensor"},
                                {"momentum", "momentum", "_momentum", "_momentum_tensor"}})
      .def(py::init([](py::object rate, float momentum, float weight_decay, float eeta, float epsilon,
                       const std::string& name, std::optional<std::vector<std::string>> skip_list, bool nesterov) {
             LarsSettings settings{
                 momentum, weight_decay, eeta, epsilon, skip_list.value_or(std::vector<std::string>()), nesterov};
             auto made = MakeOptimizer<LarsOptimizer>(HyperParamFrom(rate), settings, OptionsNamed(false, name));
             Check(made->Check());
             return made;
           }),
           py::arg("learning_rate"), py::arg("momentum") = 0.9f, py::arg("weight_decay") = 0.0001f,
           py::arg("eeta") = 0.001f, py::arg("epsilon") = 0.0f, py::arg("name") = "LARSOptimizer",
           py::arg("skip_list") = py::none(), py::arg("use_nesterov") = false, KeepArgumentsAlive(), StoreArguments());
  BindOptimizer<RegAdagradOptimizer>(m, "RegAdagradOptimizer",
                                     {{"learning_rate", "learning_rate", "_learning_rate", "_learning_rate_tensor"}})
      .def(py::init([](py::object rate, double initial, bool use_locking, const std::string& name) {
             auto made =
                 MakeOptimizer<RegAdagradOptimizer>(HyperParamFrom(rate), initial, OptionsNamed(use_locking, name));
             Check(made->Check());
             return made;
           }),
           py::arg("learning_rate"), py::arg("initial_accumulator_value") = 0.1, locking,
           py::arg("name") = "RegAdagrad", KeepArgumentsAlive(), StoreArguments())
      .def_property("_update_slots", &RegAdagradOptimizer::update_slots, &RegAdagradOptimizer::set_update_slots);
  py::class_<MultitaskOptimizer, Optimizer, std::shared_ptr<MultitaskOptimizer>>(m, "MultitaskOptimizerWrapper",
                                                                                 GarbageCollected<MultitaskOptimizer>())
      .def(
          py::init([](std::shared_ptr<Optimizer> opt) { return std::make_shared<MultitaskOptimizer>(std::move(opt)); }),
          py::arg("opt"), KeepArgumentsAlive());
}

std::map<std::string, Input> FactorsFrom(const py::dict& factors) {
  std::map<std::string, Input> found;
  for (const auto& [key, factor] : factors)
    found.emplace(IsVariable(key) ? VariableFrom(key)->op_name() : py::cast<std::string>(key), InputFrom(factor));
  return found;
}

py::list ToPython(Result<GradientList> list) { return PairsToPython(Take(std::move(list))); }

void BindGradientEdits(py::module_& m) {
  m.def(
      "multiply_gradients",
      [](py::handle pairs, const py::dict& factors) {
        return ToPython(MultiplyGradients(PairsFrom(pairs), FactorsFrom(factors)));
      },
      py::arg("grads_and_vars"), py::arg("gradient_multipliers"));
  m.def(
      "clip_gradient_norms",
      [](py::handle pairs, Input max_norm) { return ToPython(ClipGradientNorms(PairsFrom(pairs), max_norm)); },
      py::arg("gradients_to_variables"), py::arg("max_norm"));
  m.def(
      "clip_gradients_together",
      [](py::handle pairs, Input max_norm) { return ToPython(ClipGradientsTogether(PairsFrom(pairs), max_norm)); },
      py::arg("grads_and_vars"), py::arg("max_norm"));
  m.def(
      "clip_gradients_by_global_norm",
      [](py::handle pairs, Input clip_norm) {
        const ClippedGradients clipped = Take(ClipGradientsByGlobalNorm(PairsFrom(pairs), clip_norm));
        return py::make_tuple(PairsToPython(clipped.list), Wrap(clipped.global_norm));
      },
      py::arg("gradients_variables"), py::arg("clip_norm") = 20.0f);
  m.def(
      "add_gradient_noise",
      [](py::handle pairs, Input scale) { return ToPython(AddGradientNoise(PairsFrom(pairs), scale)); },
      py::arg("grads_and_vars"), py::arg("scale"));
  m.def(
      "clip_gradients_adaptively",
      [](py::handle pairs, Input std_factor, Input decay, Input static_max_norm, Input global_step, double epsilon,
         const Name& name) {
        const AdaptivelyClipped clipped = Take(ClipGradientsAdaptively(
            PairsFrom(pairs), {std_factor, decay, static_max_norm, global_step, epsilon, name.text}));
        return py::make_tuple(PairsToPython(clipped.list), Wrap(clipped.max_norm));
      },
      py::arg("grads_and_vars"), py::arg("std_factor"), py::arg("decay"), py::arg("static_max_norm"),
      py::arg("global_step"), py::arg("epsilon"), py::arg("name"));
  m.def(
      "decay_weights",
      [](py::handle pairs, Input weight_decay, std::vector<std::string> only, bool use_locking) {
        return Take(DecayWeights(PairsFrom(pairs), weight_decay, only, use_locking));
      },
      py::arg("grads_and_vars"), py::arg("weight_decay"), py::arg("only"), py::arg("use_locking"));
  m.def(
      "clip_variable",
      [](py::object grad, py::object var, std::vector<int64_t> axes, Input max_norm, bool use_locking) {
        const GradientList item = PairsFrom(py::make_tuple(py::make_tuple(grad, var)));
        return Take(ClipVariable(item[0], axes, max_norm, use_locking));
      },
      py::arg("grad"), py::arg("var"), py::arg("axes"), py::arg("max_norm"), py::arg("use_locking"));
  m.def(
      "loss_after_updates",
      [](Output loss, py::handle updates) {
        std::vector<Node*> nodes;
        for (py::handle update : updates) nodes.push_back(NodeFrom(update));
        return Take(LossAfterUpdates(loss, nodes));
      },
      py::arg("loss"), py::arg("update_ops"));
  m.def(
      "train_op_of", [](Output loss, Node* apply, bool check) { return Take(TrainOpOf(loss, apply, check)); },
      py::arg("loss"), py::arg("apply"), py::arg("check_numerics"));
}

void BindInputs(py::module_& m) {
  Def(
      m, "batch_by_bucket",
      +[](Graph& g, Values values, Input which, std::vector<int64_t> batch_sizes, int num_buckets, int num_threads,
          int64_t capacity, std::optional<std::vector<int64_t>> capacities, py::object shapes, bool dynamic_pad,
          bool allow_smaller_final_batch, Input keep, const Name& shared_name, const Name& name) {
        const Buckets made =
            Take(BatchByBucket(g, values.list, which, batch_sizes, num_buckets,
                               {num_threads, capacity, std::move(capacities),
                                shapes.is_none() ? std::nullopt : std::optional(ShapesFrom(shapes)), dynamic_pad,
                                allow_smaller_final_batch, keep, shared_name.text, name.text}));
        return std::pair<Output, OutputList>(made.bucket, made.values);
      },
      py::arg("tensors"), py::arg("which_bucket"), py::arg("batch_sizes"), py::arg("num_buckets"),
      py::arg("num_threads"), py::arg("capacity"), py::arg("capacities"), py::arg("shapes"), py::arg("dynamic_pad"),
      py::arg("allow_smaller_final_batch"), py::arg("keep_input"), py::arg("shared_name"), py::arg("name"));
  Def(
      m, "interval_of",
      +[](Graph& g, Input length, std::vector<int64_t> boundaries) { return IntervalOf(g, length, boundaries); },
      py::arg("length"), py::arg("boundaries"));
  Def(
      m, "acceptance_probabilities",
      +[](Graph& g, Input initial, Input target) { return AcceptanceProbabilities(g, initial, target); },
      py::arg("init_probs"), py::arg("target_probs"));
  Def(
      m, "estimated_distribution",
      +[](Graph& g, Input labels, int64_t num_classes, float smoothing) {
        return Take(EstimatedDistribution(g, labels, num_classes, smoothing));
      },
      py::arg("labels"), py::arg("num_classes"), py::arg("smoothing"));
  Def(
      m, "resampled_rows", +[](Graph& g, Input rates, OpSeed seed) { return Take(ResampledRows(g, rates, seed)); },
      py::arg("rates"), py::arg("seed"));
  Def(
      m, "estimated_mean", +[](Graph& g, Input values, float decay) { return Take(EstimatedMean(g, values, decay)); },
      py::arg("values"), py::arg("decay"));
}

// The number of float operations of an operation; None if it is not known.
std::optional<int64_t> FloatOpsOf(Node* node) { return FloatOps(*node); }

}  // namespace

void BindContribTrain(py::module_& m) {
  BindInputs(m);
  m.def("float_ops", &FloatOpsOf, py::arg("op"));
  BindContribOptimizers(m);
  BindGradientEdits(m);
  // The tensors of a training step's conditions; None where not needed.
  Def(
      m, "train_step_conditions",
      +[](Graph& g, Input global_step, std::optional<int64_t> number_of_steps, int64_t log_every_n_steps,
          std::optional<int64_t> trace_every_n_steps) {
        const TrainStepConditions made =
            Take(MakeTrainStepConditions(g, global_step, {number_of_steps, log_every_n_steps, trace_every_n_steps}));
        const auto wrapped = [](Output x) { return x.valid() ? Wrap(x) : py::none(); };
        return py::make_tuple(wrapped(made.should_stop), wrapped(made.should_log), wrapped(made.should_trace));
      },
      py::arg("global_step"), py::arg("number_of_steps"), py::arg("log_every_n_steps"), py::arg("trace_every_n_steps"));
  m.def(
      "wait_for_new_checkpoint",
      [](py::handle directory, std::optional<std::string> last, double seconds_to_sleep,
         std::optional<double> timeout) {
        CheckpointWait wait;
        wait.pause_secs = seconds_to_sleep;
        wait.timeout_secs = timeout;
        wait.env = &Process::Get().env();
        const std::string path = PathFrom(directory);
        return *RunBlocking(static_cast<Graph*>(nullptr),
                            [&](CancelToken* cancel) { return WaitForNewCheckpoint(path, last, wait, cancel); });
      },
      py::arg("checkpoint_dir"), py::arg("last_checkpoint") = py::none(), py::arg("seconds_to_sleep") = 1.0,
      py::arg("timeout") = py::none());
}

}  // namespace weir::python
