"""Uses of ClusterSpec to compare between TensorFlow and Weir: each entry of EXPRESSIONS is evaluated."""

JOBS = {"ps": ["a:1", "b:2"], "worker": {2: "c:3", 0: "d:4"}, "idle": []}

EXPRESSIONS = """
repr(c)
str(c)
c.as_dict()
sorted(c.jobs)
str(c.as_cluster_def())
[c.num_tasks(job) for job in sorted(c.jobs)]
[c.task_indices(job) for job in sorted(c.jobs)]
c.job_tasks('ps')
c.job_tasks('worker')
c.task_address('worker', 2)
c.task_address(job_name='ps', task_index=1)
c.task_address('worker', 1)
c.task_address('worker', -1)
c.task_address('worker', '0')
c.task_address('x', 0)
c.num_tasks('x')
c.num_tasks(3)
c.task_indices(None)
c.job_tasks('x')
(bool(c), bool(C({})), bool(C({'a': []})))
(C(c) == c, C(c.as_cluster_def()) == c, C(c.as_dict()) == c, C(c) is c)
(c != C(JOBS), C({}) == C({'a': []}), c == JOBS, c == 3, c != 3, c == c.as_cluster_def())
(C({}) == {}, C({}) != {}, C({'a': ['x:1']}) == {'a': {0: 'x:1'}}, C({'a': ['x:1']}) == {'a': ['x:1']})
hash(c)
C(3)
C(None)
C()
C(['a:1'])
C('a')
C({'a': 'b:1'})
C({'a': 3})
C({'a': None})
C({'a': [3]})
C({'a': {0: None}})
C({3: ['x:1']})
C({'a': {'1': 'x:1'}})
C({'a': {True: 'x:1'}})
C({'a': {1.5: 'x:1'}})
C({'a': {'x': 'x:1'}})
C({'a': {None: 'x:1'}})
C({'a': {2**40: 'x:1'}})
C({'a': ('x:1',)})
C({'a': {1: 'x:1', 0: 'y:1'}})
C({'a': {}})
C({'a': ''.split(',')})
C({'a': ['x', 'x']})
C({'a': [b'x:1']}).as_cluster_def().job[0].tasks[0]
C({b'a': ['x:1']}).as_cluster_def().job[0].name
copy.deepcopy(c) == c
pickle.loads(pickle.dumps(c)) == c
""".strip().splitlines()


def answers(tf):
    """Returns {expression: its value, or the class and text of its error}."""
    import copy
    import pickle
    scope = {"C": tf.train.ClusterSpec, "JOBS": JOBS, "c": tf.train.ClusterSpec(JOBS), "copy": copy, "pickle": pickle}
    found = {}
    for expression in EXPRESSIONS:
        try:
            found[expression] = repr(eval(expression, scope))
        except Exception as error:
            found[expression] = "%s: %s" % (type(error).__name__, error)
    return found
