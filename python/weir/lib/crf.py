"""tf.contrib.crf: the recursions of a conditional random field as recurrent cells. The functions are in C++."""
from weir import _weir
from weir.lib.rnn_cell import RNNCell


def _tags(transition_params):
    return _weir.convert_to_tensor(transition_params).shape[0].value


class CrfForwardRnnCell(RNNCell):
    """Computes alpha, the log of the sum over all paths to each tag."""

    def __init__(self, transition_params):
        super().__init__()
        self._transition_params, self._num_tags = transition_params, _tags(transition_params)

    @property
    def state_size(self):
        return self._num_tags

    @property
    def output_size(self):
        return self._num_tags

    def __call__(self, inputs, state, scope=None):
        alphas = _weir.crf_forward_step(inputs, state, self._transition_params)
        return alphas, alphas


class CrfDecodeForwardRnnCell(CrfForwardRnnCell):
    """Computes the score of the best path to each tag. The output is the previous tag on that path."""

    def __call__(self, inputs, state, scope=None):
        return _weir.crf_decode_forward_step(inputs, state, self._transition_params)


class CrfDecodeBackwardRnnCell(RNNCell):
    """Follows the best path back. The state is a tag."""

    def __init__(self, num_tags):
        super().__init__()
        self._num_tags = num_tags

    @property
    def state_size(self):
        return 1

    @property
    def output_size(self):
        return 1

    def __call__(self, inputs, state, scope=None):
        tags = _weir.crf_decode_backward_step(inputs, state)
        return tags, tags
