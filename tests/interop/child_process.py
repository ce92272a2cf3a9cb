"""Answers questions in a child process, so that a question that crashes it is reported like any other."""
import json
import os
import signal


def answers_of_child(questions, answer, seconds, outputs=(2,)):
    """Calls `answer` for each question in a child process, with an alarm after `seconds` for each.

    Returns the answers, up to the last one or the one that ended the child, and the child's wait status. The output
    descriptors that are listed in `outputs` are closed in the child.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        for output in outputs:
            os.dup2(os.open(os.devnull, os.O_WRONLY), output)
        with os.fdopen(writer, "w") as out:
            for question in questions:
                signal.alarm(seconds)
                print(json.dumps(answer(question)), file=out, flush=True)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as lines:
        found = [json.loads(line) for line in lines]
    _, status = os.waitpid(child, 0)
    return found, status
