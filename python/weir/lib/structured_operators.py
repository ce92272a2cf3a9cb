"""Linear operators of a few vectors: zeros, reflections, low-rank updates, Toeplitz and circulant matrices."""
from weir import _weir
from weir.lib.linear_operators import LinearOperator


class LinearOperatorZeros(LinearOperator):
    def __init__(self, num_rows, num_columns=None, batch_shape=None, dtype=None, is_non_singular=False, is_self_adjoint=True,
                 is_positive_definite=False, is_square=True, assert_proper_shapes=False, name="LinearOperatorZeros"):
        if is_self_adjoint and not is_square:
            raise ValueError("A self-adjoint zero operator is always square.")
        if not is_square and num_columns is None:
            raise ValueError("A non-square operator needs `num_columns`")
        if is_non_singular:
            raise ValueError("A zero operator is always non-invertible.")
        if is_positive_definite:
            raise ValueError("A zero operator is always not positive-definite.")
        with _weir.name_scope(name):
            impl = _weir.zeros_operator(num_rows, num_columns, batch_shape, dtype or "float32")
        super().__init__(impl, False, is_self_adjoint or None, False, is_square, name)


class LinearOperatorHouseholder(LinearOperator):
    def __init__(self, reflection_axis, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None,
                 name="LinearOperatorHouseholder"):
        with _weir.name_scope(name):
            self._reflection_axis = _weir.convert_to_tensor(reflection_axis, name="reflection_axis")
            impl = _weir.householder_operator(self._reflection_axis)
        if is_self_adjoint is False:
            raise ValueError("A Householder operator is always self adjoint.")
        if is_positive_definite is True:
            raise ValueError("A Householder operator is always non-positive definite.")
        if is_square is False:
            raise ValueError("A Householder operator is always square.")
        super().__init__(impl, is_non_singular, True, False, True, name)

    @property
    def reflection_axis(self):
        return self._reflection_axis


class LinearOperatorLowRankUpdate(LinearOperator):
    """base_operator + u diag(diag_update) v^H."""

    def __init__(self, base_operator, u, diag_update=None, v=None, is_diag_update_positive=None, is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=None, name="LinearOperatorLowRankUpdate"):
        dtype = base_operator.dtype
        with _weir.name_scope(name):
            self._base_operator = base_operator
            self._u = _weir.convert_to_tensor(u, dtype=dtype, name="u")
            self._v = self._u if v is None else _weir.convert_to_tensor(v, dtype=dtype, name="v")
            self._diag_update = None if diag_update is None else _weir.convert_to_tensor(diag_update, dtype=dtype, name="diag_update")
            impl = _weir.low_rank_update_operator(base_operator._impl, self._u, self._diag_update, self._v)
        positive = True if diag_update is None else is_diag_update_positive
        if v is None and base_operator.is_self_adjoint and (positive or not dtype.is_complex):
            if is_self_adjoint is False:
                raise ValueError("the update of a self-adjoint operator by u diag(diag_update) u^H is self-adjoint")
            is_self_adjoint = True
            if base_operator.is_positive_definite and positive:
                if is_positive_definite is False or is_non_singular is False:
                    raise ValueError("the positive update of a positive definite operator is positive definite")
                is_positive_definite = True
        super().__init__(impl, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name)
        self._is_diag_update_positive = positive

    base_operator = property(lambda self: self._base_operator)
    u = property(lambda self: self._u)
    v = property(lambda self: self._v)
    is_diag_update_positive = property(lambda self: self._is_diag_update_positive)

    @property
    def diag_update(self):
        return self._diag_update


class LinearOperatorToeplitz(LinearOperator):
    def __init__(self, col, row, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None,
                 name="LinearOperatorToeplitz"):
        with _weir.name_scope(name):
            self._row = _weir.convert_to_tensor(row, name="row")
            self._col = _weir.convert_to_tensor(col, name="col")
            if self._row.dtype != self._col.dtype:
                raise TypeError("`row` and `col` must have the same dtype")
            impl = _weir.toeplitz_operator(self._col, self._row)
        super().__init__(impl, is_non_singular, is_self_adjoint, is_positive_definite, True, name)

    row = property(lambda self: self._row)
    col = property(lambda self: self._col)


class _Circulant(LinearOperator):
    _depth = 1

    def __init__(self, spectrum, input_output_dtype="complex64", is_non_singular=None, is_self_adjoint=None, is_positive_definite=None,
                 is_square=True, name=None):
        name = name or type(self).__name__
        dtype = _weir.as_dtype(input_output_dtype)
        with _weir.name_scope(name):
            self._spectrum = _weir.convert_to_tensor(spectrum, name="spectrum")
            real = not self._spectrum.dtype.is_complex
            wide = "complex128" if self._spectrum.dtype.name in ("float64", "complex128") else "complex64"
            self._complex_spectrum = _weir.cast(self._spectrum, wide)
            impl = _weir.circulant_operator(self._complex_spectrum, dtype, self._depth)
        if is_square is False:
            raise ValueError("A [[nested] block] circulant operator is always square.")
        if real:
            if is_self_adjoint is False:
                raise ValueError("A real spectrum always corresponds to a self-adjoint operator.")
            is_self_adjoint = True
        super().__init__(impl, is_non_singular, is_self_adjoint, is_positive_definite, True, name)

    spectrum = property(lambda self: self._spectrum)
    block_depth = property(lambda self: self._depth)

    @property
    def block_shape(self):
        return self._spectrum.shape[-self._depth:]

    def block_shape_tensor(self):
        return _weir.op_function("Shape")(self._spectrum)[-self._depth:]

    def convolution_kernel(self, name="convolution_kernel"):
        with self._scope(name):
            return _weir.convolution_kernel(self._complex_spectrum, self.dtype, self._depth)


class LinearOperatorCirculant(_Circulant):
    def __init__(self, spectrum, input_output_dtype="complex64", is_non_singular=None, is_self_adjoint=None, is_positive_definite=None,
                 is_square=True, name="LinearOperatorCirculant"):
        super().__init__(spectrum, input_output_dtype, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name)


class LinearOperatorCirculant2D(_Circulant):
    _depth = 2

    def __init__(self, spectrum, input_output_dtype="complex64", is_non_singular=None, is_self_adjoint=None, is_positive_definite=None,
                 is_square=True, name="LinearOperatorCirculant2D"):
        super().__init__(spectrum, input_output_dtype, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name)


class LinearOperatorCirculant3D(_Circulant):
    _depth = 3

    def __init__(self, spectrum, input_output_dtype="complex64", is_non_singular=None, is_self_adjoint=None, is_positive_definite=None,
                 is_square=True, name="LinearOperatorCirculant3D"):
        super().__init__(spectrum, input_output_dtype, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name)
