"""tf.nn.ctc_loss and its second version: which arguments they take."""
from weir import _weir


def ctc_loss(labels, inputs=None, sequence_length=None, preprocess_collapse_repeated=False, ctc_merge_repeated=True,
             ignore_longer_outputs_than_inputs=False, time_major=True, logits=None):
    if inputs is not None and logits is not None:
        raise ValueError("Cannot specify both 'inputs' and 'logits'")
    if not isinstance(labels, _weir.SparseTensor):
        raise TypeError("Expected labels (first argument) to be a SparseTensor")
    return _weir.ctc_loss(labels, logits if inputs is None else inputs, sequence_length, preprocess_collapse_repeated, ctc_merge_repeated,
                          ignore_longer_outputs_than_inputs, time_major)


def ctc_loss_v2(labels, logits, label_length, logit_length, logits_time_major=True, unique=None, blank_index=None, name=None):
    with _weir.name_scope(name or "ctc_loss"):
        if isinstance(labels, _weir.SparseTensor):
            if blank_index is None:
                raise ValueError("blank_index must be given when using SparseTensor labels.")
            return _weir.ctc_loss_with_blank(labels, logits, logit_length, logits_time_major, blank_index)
        return _weir.ctc_loss_of_dense(labels, logits, label_length, logit_length, logits_time_major, 0 if blank_index is None else blank_index)
