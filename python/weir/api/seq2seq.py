"""tf.contrib.seq2seq, legacy_seq2seq and crf, and connectionist temporal classification in tf.nn."""

_DECODERS = ["Decoder", "BasicDecoder", "BasicDecoderOutput", "BeamSearchDecoder", "BeamSearchDecoderOutput", "BeamSearchDecoderState",
             "FinalBeamSearchDecoderOutput", "dynamic_decode"]
_HELPERS = ["Helper", "CustomHelper", "TrainingHelper", "GreedyEmbeddingHelper", "SampleEmbeddingHelper", "InferenceHelper",
            "ScheduledEmbeddingTrainingHelper", "ScheduledOutputTrainingHelper"]
_ATTENTION = ["AttentionMechanism", "AttentionWrapper", "AttentionWrapperState", "BahdanauAttention", "BahdanauMonotonicAttention",
              "LuongAttention", "LuongMonotonicAttention"]
_SCORES = ["_BaseAttentionMechanism", "_bahdanau_score", "_luong_score", "_maybe_mask_score", "_prepare_memory", "_compute_attention"]
# module of contrib.seq2seq.python.ops: private names that programs import from it, and their definitions in weir.lib.rnn_internals
_INTERNALS = {
    "attention_wrapper": {"_zero_state_tensors": "zero_state_tensors"},
    "decoder": {"_create_zero_outputs": "create_zero_outputs", "_transpose_batch_time": "transpose_batch_time",
                "_zero_state_tensors": "zero_state_tensors"},
    "helper": {"_transpose_batch_time": "transpose_batch_time", "_unstack_ta": "unstack_ta"},
}
_FUNCTIONS = ["sequence_loss", "tile_batch", "hardmax", "safe_cumprod", "monotonic_attention", "monotonic_probability_fn"]
_CRF = ["crf_binary_score", "crf_decode", "crf_log_norm", "crf_multitag_sequence_score", "crf_sequence_score", "crf_unary_score", "viterbi_decode"]
_LEGACY = ["attention_decoder", "basic_rnn_seq2seq", "embedding_attention_decoder", "embedding_attention_seq2seq", "embedding_rnn_decoder",
           "embedding_rnn_seq2seq", "embedding_tied_rnn_seq2seq", "model_with_buckets", "one2many_rnn_seq2seq", "rnn_decoder", "sequence_loss",
           "sequence_loss_by_example", "tied_rnn_seq2seq"]

NAMES = {
    **{f"contrib.legacy_seq2seq.{name}": f"weir.lib.legacy_seq2seq:{name}" for name in _LEGACY},
    "contrib.legacy_seq2seq.python.ops.seq2seq.*": "=contrib.legacy_seq2seq.",
    **{f"contrib.seq2seq.{name}": f"weir.lib.seq2seq_decoders:{name}" for name in _DECODERS},
    **{f"contrib.seq2seq.{name}": f"weir.lib.seq2seq_helpers:{name}" for name in _HELPERS},
    **{f"contrib.seq2seq.{name}": f"weir.lib.seq2seq_attention:{name}" for name in _ATTENTION},
    **{f"contrib.seq2seq.{name}": name for name in _FUNCTIONS},
    "contrib.seq2seq.gather_tree": "op:GatherTree",
    **{f"contrib.seq2seq.python.ops.{module}.*": "=contrib.seq2seq."
       for module in ("attention_wrapper", "basic_decoder", "beam_search_decoder", "beam_search_ops", "decoder", "helper", "loss")},
    **{f"contrib.seq2seq.python.ops.attention_wrapper.{name}": f"weir.lib.seq2seq_attention:{name}" for name in _SCORES},
    **{f"contrib.seq2seq.python.ops.{module}.{name}": f"weir.lib.rnn_internals:{target}" for module, names in _INTERNALS.items()
       for name, target in names.items()},
    "contrib.seq2seq.python.ops.beam_search_decoder.gather_tree_from_array": "gather_tree_from_array",
    **{f"contrib.crf.{name}": name for name in _CRF},
    "contrib.crf.crf_log_likelihood": "(inputs, tag_indices, sequence_lengths, transition_params=None) crf_log_likelihood",
    **{f"contrib.crf.{name}": f"weir.lib.crf:{name}" for name in ("CrfForwardRnnCell", "CrfDecodeForwardRnnCell", "CrfDecodeBackwardRnnCell")},
    "contrib.crf.python.ops.crf.*": "=contrib.crf.",
    "nn.ctc_loss": "weir.lib.ctc:ctc_loss",
    "nn.ctc_loss_v2": "weir.lib.ctc:ctc_loss_v2",
    "nn.ctc_unique_labels": "ctc_unique_labels",
    "nn.ctc_greedy_decoder": "ctc_greedy_decoder",
    "nn.ctc_beam_search_decoder": "ctc_beam_search_decoder",
    "nn.ctc_beam_search_decoder_v2": "(inputs, sequence_length, beam_width=100, top_paths=1) ctc_beam_search_decoder[merge_repeated=False]",
}
