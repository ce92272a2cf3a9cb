"""tf.linalg.LinearOperator and its classes. The formulas are in C++ (_weir.LinearOperator)."""
from weir import _weir


class LinearOperator:
    """Base class of the operators. `impl` is the C++ object."""

    def __init__(self, impl, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None, name=None):
        shape = impl.shape
        rows, columns = (shape[-2].value, shape[-1].value) if shape.ndims is not None else (None, None)
        known_square = rows == columns if rows is not None and columns is not None else None
        if known_square is False and (is_square or is_non_singular or is_positive_definite or is_self_adjoint):
            raise ValueError("A non-square operator cannot be non-singular, self-adjoint or positive definite")
        if is_positive_definite and is_non_singular is False:
            raise ValueError("A positive definite matrix is always non-singular.")
        self._impl = impl
        self._is_non_singular = True if is_positive_definite else is_non_singular
        self._is_self_adjoint = is_self_adjoint
        self._is_positive_definite = is_positive_definite
        self._is_square = is_square if known_square is None else known_square
        self._name = name or type(self).__name__

    @property
    def name(self):
        return self._name

    @property
    def dtype(self):
        return self._impl.dtype

    @property
    def shape(self):
        return self._impl.shape

    @property
    def batch_shape(self):
        return self.shape[:-2]

    @property
    def tensor_rank(self):
        return self.shape.ndims

    @property
    def domain_dimension(self):
        return self.shape[-1]

    @property
    def range_dimension(self):
        return self.shape[-2]

    @property
    def is_non_singular(self):
        return self._is_non_singular

    @property
    def is_self_adjoint(self):
        return self._is_self_adjoint

    @property
    def is_positive_definite(self):
        return self._is_positive_definite

    @property
    def is_square(self):
        return self._is_square

    @property
    def H(self):
        return self.adjoint()

    def _scope(self, name):
        return _weir.name_scope(f"{self._name}/{name}")

    def shape_tensor(self, name="shape_tensor"):
        with self._scope(name):
            return self._impl.shape_tensor()

    def batch_shape_tensor(self, name="batch_shape_tensor"):
        with self._scope(name):
            return self._impl.shape_tensor()[:-2]

    def tensor_rank_tensor(self, name="tensor_rank_tensor"):
        with self._scope(name):
            return _weir.op_function("Size")(self._impl.shape_tensor())

    def domain_dimension_tensor(self, name="domain_dimension_tensor"):
        with self._scope(name):
            return self._impl.shape_tensor()[-1]

    def range_dimension_tensor(self, name="range_dimension_tensor"):
        with self._scope(name):
            return self._impl.shape_tensor()[-2]

    def matmul(self, x, adjoint=False, adjoint_arg=False, name="matmul"):
        """The operator times matrices, or times another operator."""
        if isinstance(x, LinearOperator):
            return LinearOperatorComposition([self.H if adjoint else self, x.H if adjoint_arg else x])
        with self._scope(name):
            return self._impl.matmul(_argument(x, self.dtype, adjoint_arg), adjoint)

    def __matmul__(self, other):
        return self.matmul(other)

    def matvec(self, x, adjoint=False, name="matvec"):
        with self._scope(name):
            return _squeezed(self._impl.matmul(_as_column(x, self.dtype), adjoint))

    def solve(self, rhs, adjoint=False, adjoint_arg=False, name="solve"):
        self._check_invertible()
        if isinstance(rhs, LinearOperator):
            inverse = self.H.inverse() if adjoint else self.inverse()
            return LinearOperatorComposition([inverse, rhs.H if adjoint_arg else rhs])
        with self._scope(name):
            return self._impl.solve(_argument(rhs, self.dtype, adjoint_arg), adjoint)

    def solvevec(self, rhs, adjoint=False, name="solve"):
        self._check_invertible()
        with self._scope(name):
            return _squeezed(self._impl.solve(_as_column(rhs, self.dtype), adjoint))

    def _check_invertible(self):
        if self._is_non_singular is False:
            raise NotImplementedError("Exact solve not implemented for an operator that is expected to be singular.")
        if self._is_square is False:
            raise NotImplementedError("Exact solve not implemented for an operator that is expected to not be square.")

    def adjoint(self, name="adjoint"):
        return LinearOperatorAdjoint(self)

    def inverse(self, name="inverse"):
        if self._is_square is False:
            raise ValueError(f"Cannot take the Inverse: This operator represents a non square matrix: {self._name}")
        if self._is_non_singular is False:
            raise ValueError(f"Cannot take the Inverse: This operator represents a singular matrix: {self._name}")
        return LinearOperatorInversion(self)

    def cholesky(self, name="cholesky"):
        if not (self._is_positive_definite and self._is_self_adjoint):
            raise ValueError("Cholesky decomposition works only for operators that are positive definite and self-adjoint")
        with self._scope(name):
            return LinearOperatorLowerTriangular(_weir.op_function("Cholesky")(self._impl.to_dense()), is_non_singular=True)

    def to_dense(self, name="to_dense"):
        with self._scope(name):
            return self._impl.to_dense()

    def diag_part(self, name="diag_part"):
        with self._scope(name):
            return self._impl.diag_part()

    def trace(self, name="trace"):
        with self._scope(name):
            return self._impl.trace()

    def determinant(self, name="det"):
        self._check_square("determinant")
        with self._scope(name):
            return self._impl.determinant()

    def log_abs_determinant(self, name="log_abs_det"):
        self._check_square("log_abs_determinant")
        with self._scope(name):
            return self._impl.log_abs_determinant()

    def _check_square(self, what):
        if self._is_square is False:
            raise NotImplementedError(f"{what} not implemented for an operator that is expected to not be square.")

    def add_to_tensor(self, x, name="add_to_tensor"):
        with self._scope(name):
            return self._impl.to_dense() + x


def _argument(x, dtype, adjoint):
    x = _weir.convert_to_tensor(x, dtype=dtype, name="x")
    return _weir.matrix_transpose(x, conjugate=True) if adjoint else x


def _as_column(x, dtype):
    return _weir.op_function("ExpandDims")(_weir.convert_to_tensor(x, dtype=dtype, name="x"), -1)


def _squeezed(x):
    return _weir.op_function("Squeeze")(x, squeeze_dims=[-1])


class LinearOperatorFullMatrix(LinearOperator):
    def __init__(self, matrix, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None,
                 name="LinearOperatorFullMatrix"):
        with _weir.name_scope(name):
            impl = _weir.full_matrix_operator(_weir.convert_to_tensor(matrix, name="matrix"))
        super().__init__(impl, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name)


class LinearOperatorLowerTriangular(LinearOperator):
    def __init__(self, tril, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None,
                 name="LinearOperatorLowerTriangular"):
        with _weir.name_scope(name):
            impl = _weir.lower_triangular_operator(_weir.convert_to_tensor(tril, name="tril"))
        super().__init__(impl, is_non_singular, is_self_adjoint, is_positive_definite, True, name)


class LinearOperatorDiag(LinearOperator):
    def __init__(self, diag, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None, name="LinearOperatorDiag"):
        with _weir.name_scope(name):
            self._diag = _weir.convert_to_tensor(diag, name="diag")
            impl = _weir.diagonal_operator(self._diag)
        if is_self_adjoint is None and not self._diag.dtype.is_complex:
            is_self_adjoint = True
        super().__init__(impl, is_non_singular, is_self_adjoint, is_positive_definite, True, name)

    @property
    def diag(self):
        return self._diag


class LinearOperatorScaledIdentity(LinearOperator):
    def __init__(self, num_rows, multiplier, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=True,
                 assert_proper_shapes=False, name="LinearOperatorScaledIdentity"):
        with _weir.name_scope(name):
            self._multiplier = _weir.convert_to_tensor(multiplier, name="multiplier")
            impl = _weir.scaled_identity_operator(num_rows, self._multiplier)
        if is_self_adjoint is None and not self._multiplier.dtype.is_complex:
            is_self_adjoint = True
        super().__init__(impl, is_non_singular, is_self_adjoint, is_positive_definite, True, name)

    @property
    def multiplier(self):
        return self._multiplier


class LinearOperatorIdentity(LinearOperator):
    def __init__(self, num_rows, batch_shape=None, dtype=None, is_non_singular=True, is_self_adjoint=True, is_positive_definite=True,
                 is_square=True, assert_proper_shapes=False, name="LinearOperatorIdentity"):
        if not (is_self_adjoint and is_non_singular and is_positive_definite and is_square):
            raise ValueError("An identity operator is always square, self-adjoint, non-singular and positive definite.")
        with _weir.name_scope(name):
            ones = _weir.ones([] if batch_shape is None else batch_shape, dtype or "float32")
            impl = _weir.scaled_identity_operator(num_rows, ones)
        super().__init__(impl, True, True, True, True, name)


class LinearOperatorAdjoint(LinearOperator):
    def __init__(self, operator, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None, name=None):
        self._operator = operator
        super().__init__(operator._impl.adjoint(), _known(operator.is_non_singular, is_non_singular),
                         _known(operator.is_self_adjoint, is_self_adjoint), _known(operator.is_positive_definite, is_positive_definite),
                         _known(operator.is_square, is_square), name or operator.name + "_adjoint")

    @property
    def operator(self):
        return self._operator

    def adjoint(self, name="adjoint"):
        return self._operator


class LinearOperatorInversion(LinearOperator):
    def __init__(self, operator, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None, name=None):
        self._operator = operator
        super().__init__(operator._impl.inverse(), True, _known(operator.is_self_adjoint, is_self_adjoint),
                         _known(operator.is_positive_definite, is_positive_definite), True, name or operator.name + "_inv")

    @property
    def operator(self):
        return self._operator

    def inverse(self, name="inverse"):
        return self._operator


def _known(first, second):
    return second if first is None else first


def _all_or_none(given, operators, hint):
    """Returns True if all operators have the hint, else the given value."""
    return True if given is None and all(getattr(op, hint) for op in operators) else given


class _OperatorOfOperators(LinearOperator):
    def __init__(self, make, operators, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name):
        operators = list(operators)
        if not operators:
            raise ValueError("Expected a non-empty list of operators. Found: []")
        if len({op.dtype for op in operators}) > 1:
            raise TypeError("Expected all operators to have the same dtype. Found: " + ", ".join(f"{op.name}: {op.dtype.name}" for op in operators))
        self._operators = operators
        with _weir.name_scope(name):
            impl = make([op._impl for op in operators])
        super().__init__(impl, _all_or_none(is_non_singular, operators, "is_non_singular"), is_self_adjoint, is_positive_definite, is_square,
                         name)

    @property
    def operators(self):
        return self._operators


class LinearOperatorComposition(_OperatorOfOperators):
    def __init__(self, operators, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None, name=None):
        operators = list(operators)
        super().__init__(_weir.composition_operator, operators, is_non_singular, is_self_adjoint, is_positive_definite, is_square,
                         name or "_o_".join(op.name for op in operators))


class LinearOperatorBlockDiag(_OperatorOfOperators):
    def __init__(self, operators, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=True, name=None):
        operators = list(operators)
        super().__init__(_weir.block_diagonal_operator, operators, is_non_singular,
                         _all_or_none(is_self_adjoint, operators, "is_self_adjoint"),
                         _all_or_none(is_positive_definite, operators, "is_positive_definite"), is_square,
                         name or "_ds_".join(op.name for op in operators))


class LinearOperatorKronecker(_OperatorOfOperators):
    def __init__(self, operators, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None, name=None):
        operators = list(operators)
        super().__init__(_weir.kronecker_operator, operators, is_non_singular, is_self_adjoint, is_positive_definite, is_square,
                         name or "_x_".join(op.name for op in operators))
