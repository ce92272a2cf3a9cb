// tf.contrib.seq2seq: dynamic_decode with decoders written in Python, and what their helpers compute.
#include "bind/seq2seq.h"

#include "bind/python_cell.h"
#include "bind/tensor_array.h"
#include "graph/compose/seq2seq.h"

namespace weir::python {
namespace {

Output TensorOf(Graph& graph, py::handle value, DType wanted, const char* what) {
  return Take(ToOutput(graph, InputFrom(value), wanted, what));
}

py::object Item(const py::object& sequence, int i) { return sequence[py::int_(i)]; }

// A Python decoder: initialize(), step() and finalize() with nested values.
class PythonDecoder final : public Decoder {
 public:
  PythonDecoder(py::object decoder, py::dict arguments)
      : decoder_(std::move(decoder)), arguments_(std::move(arguments)) {}

  Result<Input> BatchSize(Graph&) override {
    return CatchExceptions([&]() -> Result<Input> { return InputFrom(decoder_.attr("batch_size")); });
  }
  Result<std::vector<PartialShape>> OutputSizes() override {
    return CatchExceptions(
        [&]() -> Result<std::vector<PartialShape>> { return SizesFrom(decoder_.attr("output_size")); });
  }
  Result<std::vector<DType>> OutputTypes() override {
    return CatchExceptions([&]() -> Result<std::vector<DType>> {
      std::vector<DType> types;
      for (const py::object& type : FlattenNest(decoder_.attr("output_dtype")))
        types.push_back(BaseType(AsDType(type)));
      return types;
    });
  }
  bool TracksOwnFinished() const override { return tracks_finished_; }

  Result<DecoderStart> Initialize(Graph& graph) override {
    return CatchExceptions([&]() -> Result<DecoderStart> {
      const py::object result = decoder_.attr("initialize")(**arguments_);
      if (!PySequence_Check(result.ptr()) || py::len(result) != 3)
        RaiseType("initialize() of a decoder must return (finished, inputs, state)");
      tracks_finished_ = py::cast<bool>(py::bool_(decoder_.attr("tracks_own_finished")));
      inputs_ = Item(result, 1);
      state_ = Item(result, 2);
      input_tensors_ = TensorsOf(graph, inputs_);
      state_tensors_ = TensorsOf(graph, state_);
      return DecoderStart{TensorOf(graph, Item(result, 0), kBool, "finished"), input_tensors_.outputs(),
                          state_tensors_.outputs()};
    });
  }

  Result<DecoderStep> Step(Graph& graph, Output time, const OutputList& inputs, const OutputList& state) override {
    return CatchExceptions([&]() -> Result<DecoderStep> {
      const py::object result =
          decoder_.attr("step")(Wrap(time), PackNest(inputs_, input_tensors_.Rebuild(inputs)), StateOf(state));
      if (!PySequence_Check(result.ptr()) || py::len(result) != 4)
        RaiseType("step() of a decoder must return (outputs, next state, next inputs, finished)");
      const py::object outputs = Item(result, 0), next = Item(result, 1);
      CheckSameNest(decoder_.attr("output_size"), outputs, /*check_types=*/false);
      CheckSameNest(state_, next, /*check_types=*/false);
      CheckSameNest(inputs_, Item(result, 2), /*check_types=*/false);
      DecoderStep step{TensorsOf(graph, outputs).outputs(), TensorsOf(graph, next).outputs(),
                       TensorsOf(graph, Item(result, 2)).outputs(),
                       TensorOf(graph, Item(result, 3), kBool, "finished")};
      if (tracks_finished_ && py::hasattr(next, "lengths"))
        step.lengths = TensorOf(graph, next.attr("lengths"), kInvalidType, "lengths");
      outputs_ = outputs;
      return step;
    });
  }

  // finalize() may return any nested structure. The state that C++ sees stays unchanged.
  Result<DecoderEnd> Finalize(Graph& graph, const DecoderEnd& end, Output lengths) override {
    return CatchExceptions([&]() -> Result<DecoderEnd> {
      outputs_ = PackNest(outputs_, WrapAll(end.outputs));
      final_state_ = StateOf(end.state);
      try {
        const py::object result = decoder_.attr("finalize")(outputs_, final_state_, Wrap(lengths));
        outputs_ = Item(result, 0);
        final_state_ = Item(result, 1);
      } catch (py::error_already_set& error) {
        if (!error.matches(PyExc_NotImplementedError)) throw;
      }
      return DecoderEnd{TensorsOf(graph, outputs_).outputs(), end.state};
    });
  }

  py::object Outputs(const OutputList& outputs) const { return PackNest(outputs_, WrapAll(outputs)); }
  py::object FinalState() const { return final_state_; }

 private:
  py::object StateOf(const OutputList& state) const { return PackNest(state_, state_tensors_.Rebuild(state)); }

  py::object decoder_;
  py::dict arguments_;
  bool tracks_finished_ = false;
  py::object inputs_, state_, outputs_, final_state_;
  LeafTensors input_tensors_, state_tensors_;
};

py::tuple DecodeOf(py::object decoder, bool output_time_major, bool impute_finished, Input maximum_iterations,
                   int parallel_iterations, bool swap_memory, py::object scope, py::dict arguments) {
  Graph& graph = DefaultGraphRef();
  PythonDecoder running(std::move(decoder), std::move(arguments));
  const DecodeResult result = Take(DynamicDecode(graph, running,
                                                 {.output_time_major = output_time_major,
                                                  .impute_finished = impute_finished,
                                                  .maximum_iterations = maximum_iterations,
                                                  .parallel_iterations = parallel_iterations,
                                                  .swap_memory = swap_memory,
                                                  .scope = ScopeFrom(scope)}));
  return py::make_tuple(running.Outputs(result.outputs), running.FinalState(), Wrap(result.lengths));
}

// A Python function as the loss of each target; None: the default.
void SetLoss(Graph& graph, SequenceLossOptions& options, py::object function) {
  if (function.is_none()) return;
  options.loss = [&graph, function](Output labels, Output rows) -> Result<Output> {
    return CatchExceptions([&]() -> Result<Output> {
      return TensorOf(graph, function(py::arg("labels") = Wrap(labels), py::arg("logits") = Wrap(rows)), kInvalidType,
                      "loss");
    });
  };
}

// --- helpers ---

TrainingInputs InputsFrom(const py::list& arrays, const OutputList& zeros) {
  TrainingInputs inputs{{}, zeros};
  for (py::handle array : arrays) inputs.arrays.push_back(*TensorArrayOf(array));
  return inputs;
}

// The result of a Python function without arguments, nested like `structure`.
TensorsFn TensorsFrom(Graph& graph, py::object structure, py::object function) {
  return [&graph, structure, function]() -> Result<OutputList> {
    return CatchExceptions([&]() -> Result<OutputList> {
      const py::object result = function();
      CheckSameNest(structure, result, /*check_types=*/false);
      return TensorsOf(graph, result).outputs();
    });
  };
}

void BindHelpers(py::module_& m) {
  m.def(
      "unstack_training_inputs",
      [](py::object inputs, bool time_major) {
        InputList flat;
        for (const py::object& leaf : FlattenNest(inputs)) flat.push_back(InputFrom(leaf));
        const TrainingInputs result = Take(UnstackTrainingInputs(DefaultGraphRef(), flat, time_major));
        py::list arrays;
        for (const TensorArray& array : result.arrays) arrays.append(WrapTensorArray(array));
        return py::make_tuple(arrays, PackNest(inputs, WrapAll(result.zeros)));
      },
      py::arg("inputs"), py::arg("time_major"));
  m.def(
      "training_step",
      [](py::list arrays, py::object zeros, Input lengths, std::optional<Input> time) {
        Graph& graph = DefaultGraphRef();
        const TrainingInputs inputs = InputsFrom(arrays, TensorsOf(graph, zeros).outputs());
        const HelperStep step = Take(time.has_value() ? NextTrainingStep(graph, inputs, lengths, *time)
                                                      : FirstTrainingStep(graph, inputs, lengths));
        return py::make_tuple(Wrap(step.finished), PackNest(zeros, WrapAll(step.inputs)));
      },
      py::arg("arrays"), py::arg("zeros"), py::arg("lengths"), py::arg("time"));
  m.def(
      "unless_all_finished",
      [](Input finished, py::object otherwise, py::object next) {
        Graph& graph = DefaultGraphRef();
        const OutputList values = Take(UnlessAllFinished(graph, finished, TensorsOf(graph, otherwise).outputs(),
                                                         TensorsFrom(graph, otherwise, std::move(next))));
        return PackNest(otherwise, WrapAll(values));
      },
      py::arg("finished"), py::arg("otherwise"), py::arg("next"));
  Def(
      m, "sample_classes",
      +[](Graph& g, Input logits, Input temperature, OpSeed seed) {
        return SampleClasses(g, logits, temperature, seed);
      },
      py::arg("logits"), py::arg("temperature"), py::arg("seed"));
  Def(
      m, "sample_flags",
      +[](Graph& g, Input probability, Input count, OpSeed seed) { return SampleFlags(g, probability, count, seed); },
      py::arg("probability"), py::arg("count"), py::arg("seed"));
  Def(
      m, "sample_some_classes",
      +[](Graph& g, Input logits, Input probability, Input count, OpSeed scheduling_seed, OpSeed seed) {
        return SampleSomeClasses(g, logits, probability, count, scheduling_seed, seed);
      },
      py::arg("logits"), py::arg("probability"), py::arg("count"), py::arg("scheduling_seed"), py::arg("seed"));
  Def(
      m, "replace_sampled_rows",
      +[](Graph& g, Output sampled, Output inputs, py::object replace) {
        return ReplaceSampledRows(g, sampled, inputs, [&](Output indices) -> Result<Output> {
          return CatchExceptions(
              [&]() -> Result<Output> { return TensorOf(g, replace(Wrap(indices)), kInvalidType, "rows"); });
        });
      },
      py::arg("sampled"), py::arg("inputs"), py::arg("replace"));
}

}  // namespace

void BindSeq2seq(py::module_& m) {
  BindHelpers(m);
  m.def("dynamic_decode", &DecodeOf, py::arg("decoder"), py::arg("output_time_major"), py::arg("impute_finished"),
        py::arg("maximum_iterations"), py::arg("parallel_iterations"), py::arg("swap_memory"), py::arg("scope"),
        py::arg("arguments"));
  Def(
      m, "sequence_loss",
      +[](Graph& g, Input logits, Input targets, Input weights, bool average_time, bool average_batch, bool sum_time,
          bool sum_batch, py::object function, Name name) {
        SequenceLossOptions options{.average_across_timesteps = average_time,
                                    .average_across_batch = average_batch,
                                    .sum_over_timesteps = sum_time,
                                    .sum_over_batch = sum_batch,
                                    .name = name.text};
        SetLoss(g, options, std::move(function));
        return SequenceLoss(g, logits, targets, weights, options);
      },
      py::arg("logits"), py::arg("targets"), py::arg("weights"), py::arg("average_across_timesteps") = true,
      py::arg("average_across_batch") = true, py::arg("sum_over_timesteps") = false, py::arg("sum_over_batch") = false,
      py::arg("softmax_loss_function") = py::none(), py::arg("name") = py::none());
  Def(
      m, "sequence_loss_by_example",
      +[](Graph& g, InputList logits, InputList targets, InputList weights, bool average, py::object function,
          Name name) {
        SequenceLossOptions options{.average_across_timesteps = average, .name = name.text};
        SetLoss(g, options, std::move(function));
        return SequenceLossByExample(g, logits, targets, weights, options);
      },
      py::arg("logits"), py::arg("targets"), py::arg("weights"), py::arg("average_across_timesteps"),
      py::arg("softmax_loss_function"), py::arg("name"));
  m.def(
      "tile_batch",
      [](py::object t, Input multiplier, const Name& name) {
        InputList flat;
        for (const py::object& leaf : FlattenNest(t)) flat.push_back(InputFrom(leaf));
        return PackNest(t, WrapAll(Take(TileBatch(DefaultGraphRef(), flat, multiplier, name.text))));
      },
      py::arg("t"), py::arg("multiplier"), py::arg("name") = py::none());
}

}  // namespace weir::python
