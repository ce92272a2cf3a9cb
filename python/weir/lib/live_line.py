"""Keeps the live line at the bottom of the terminal while the program prints."""
import logging as _logging
import sys as _sys

from weir import _weir


class _LiveLineStream:
    """A terminal stream that hides the live line during writes."""

    def __init__(self, stream):
        self._stream = stream

    def write(self, text):
        if not text:
            return 0
        _weir.live_line_hide()
        try:
            count = self._stream.write(text)
            self._stream.flush()
            return count
        finally:
            _weir.live_line_show(text.endswith("\n"))

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def __iter__(self):
        return iter(self._stream)

    def __getattr__(self, name):
        return getattr(self._stream, name)


def _is_terminal(stream):
    try:
        return stream is not None and not isinstance(stream, _LiveLineStream) and stream.isatty()
    except (AttributeError, ValueError):  # closed, or an object of the program
        return False


def redirect_output_above_live_line():
    """Makes output and log messages appear above the live line. No-op without a terminal."""
    if not _weir.live_line_on_terminal():
        return
    for name in ("stdout", "stderr"):
        stream = getattr(_sys, name)
        if not _is_terminal(stream):
            continue
        above = _LiveLineStream(stream)
        setattr(_sys, name, above)
        for logger in (_logging.getLogger(), _logging.getLogger("tensorflow")):
            for handler in logger.handlers:
                if getattr(handler, "stream", None) is stream:
                    handler.setStream(above)
