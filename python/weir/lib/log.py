"""tf.logging: the logger "tensorflow". Writes to standard error unless the program has configured logging itself."""
import logging as _logging
import sys as _sys
import threading as _threading

from weir import _weir

DEBUG = _logging.DEBUG
INFO = _logging.INFO
WARN = _logging.WARN
ERROR = _logging.ERROR
FATAL = _logging.FATAL

_logger = None
_lock = _threading.Lock()
_counts: dict = {}


def get_logger():
    global _logger
    with _lock:
        if _logger is None:
            logger = _logging.getLogger("tensorflow")
            interactive = hasattr(_sys, "ps1") or bool(_sys.flags.interactive)
            if not _logging.getLogger().handlers:
                if logger.level == _logging.NOTSET:
                    logger.setLevel(INFO if interactive else WARN)
                handler = _logging.StreamHandler(_sys.stdout if interactive else _sys.stderr)
                handler.setFormatter(_logging.Formatter(_logging.BASIC_FORMAT))
                logger.addHandler(handler)
            _logger = logger
        return _logger


def _log_at(level, msg, args, kwargs):
    # Report the line of the caller.
    kwargs.setdefault("stacklevel", 3)
    get_logger().log(level, msg, *args, **kwargs)


def log(level, msg, *args, **kwargs):
    _log_at(level, msg, args, kwargs)


def debug(msg, *args, **kwargs):
    _log_at(DEBUG, msg, args, kwargs)


def info(msg, *args, **kwargs):
    _log_at(INFO, msg, args, kwargs)


def warn(msg, *args, **kwargs):
    _log_at(WARN, msg, args, kwargs)


warning = warn


def error(msg, *args, **kwargs):
    _log_at(ERROR, msg, args, kwargs)


def fatal(msg, *args, **kwargs):
    _log_at(FATAL, msg, args, kwargs)


def vlog(level, msg, *args, **kwargs):
    _log_at(level, msg, args, kwargs)


def TaskLevelStatusMessage(msg):
    _log_at(ERROR, msg, (), {})


def _count(caller):
    with _lock:
        count = _counts.get(caller, 0)
        _counts[caller] = count + 1
        return count


def _place():
    frame = _sys._getframe(2)
    return frame.f_code.co_filename, frame.f_lineno


def log_every_n(level, msg, n, *args):
    """Logs every nth message of the calling line, starting with the first."""
    if _count(_place()) % n == 0:
        _log_at(level, msg, args, {})


def log_first_n(level, msg, n, *args):
    if _count(_place()) < n:
        _log_at(level, msg, args, {})


def log_if(level, msg, condition, *args):
    if condition:
        _log_at(level, msg, args, {})


def flush():
    for handler in get_logger().handlers:
        handler.flush()


def get_verbosity():
    return get_logger().getEffectiveLevel()


_NAMES = {"DEBUG": DEBUG, "INFO": INFO, "WARN": WARN, "ERROR": ERROR, "FATAL": FATAL}


def set_verbosity(v):
    """Sets the minimum level of messages, including those about training from C++."""
    get_logger().setLevel(_NAMES.get(v, v))
    _weir.set_train_log_level(get_verbosity())
