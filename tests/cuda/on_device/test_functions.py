"""Functions of the namespace on a device: what the CPU gives, on the device of the arguments."""

import inspect
import warnings

import numpy as np
import pytest

import sharedarray as xp
from sharedarray import _backends
from sharedarray._dispatch import Function

from .compare import ON_CARD, SECOND, both, moved, same, same_but_for_signs

#: Not functions of arrays alone: files, random numbers, memory that is not set, the host's own.
APART = {"empty", "empty_like", "save", "savez", "savez_compressed", "savetxt", "load", "loadtxt"}
APART |= {"genfromtxt", "fromfile", "fromregex", "memmap", "frombuffer", "may_share_memory"}
APART |= {"shares_memory", "array_repr", "array_str", "array2string", "nditer", "require"}
APART |= {"printoptions", "getbufsize", "ascontiguousarray", "asfortranarray"}
#: Classes of NumPy's own, which live on the host.
APART |= {"asmatrix", "bmat"}
#: About text, dates, types, or shapes of their own: no pattern below fits.
UNTRIED = {"base_repr", "binary_repr", "busday_count", "busday_offset", "can_cast", "datetime_data"}
UNTRIED |= {"datetime_as_string", "dsplit", "format_float_positional", "format_float_scientific"}
UNTRIED |= {"frompyfunc", "isdtype", "isnat", "mask_indices", "nested_iters", "promote_types"}
UNTRIED |= {"put_along_axis", "ravel_multi_index", "unpackbits"}
#: Factors and roots, of which each library gives its own signs and order.
FACTORS = {"linalg.eig", "linalg.eigh", "linalg.eigvals", "linalg.qr", "linalg.svd", "roots"}
#: What NumPy makes of a diagonal's number that is no integer, and CuPy does not.
ODD = {("tril", "vector and number")}


def functions():
    """The functions of the namespace by their dotted names."""
    found = {}
    for prefix, module in (("", xp), ("linalg.", xp.linalg), ("fft.", xp.fft)):
        for name in dir(module):
            value = getattr(module, name, None)
            if isinstance(value, Function) and name not in APART:
                found[prefix + name] = value
    return found


FUNCTIONS = functions()


def calls():
    """Arguments that many functions take: (name, arguments), anew for each use."""
    x = xp.asarray([[4.0, 1.0, 2.0], [1.0, 5.0, 3.0], [2.0, 3.0, 6.0]])
    v = xp.asarray([0.25, 0.5, 0.75])
    n = xp.asarray([3, 1, 2])
    b = xp.asarray([True, False, True])
    z = xp.asarray([1 + 2j, 3 - 1j])
    return {
        "matrix": (x,),
        "vector": (v,),
        "integers": (n,),
        "booleans": (b,),
        "complex": (z,),
        "matrices": (x, x),
        "vectors": (v, v),
        "two integers": (n, n),
        "two booleans": (b, b),
        "matrix and vector": (x, v),
        "matrix and number": (x, 1),
        "vector and number": (v, 0.5),
        "integers and number": (n, 2),
        "vector and integers": (v, n),
        "booleans and two": (b, v, v),
        "three vectors": (v, v, v),
        "list": ([v, v],),
        "list of matrices": ([x, x],),
        "vector and two numbers": (v, 0.3, 0.6),
        "shape": (x, (9,)),
    }


def must_work(name):
    """Whether a function is one of the standard that takes arrays: CuPy may not refuse them all."""
    space, _, last = name.rpartition(".")
    standard = last in (getattr(xp, space) if space else xp).__all__
    return standard and not FUNCTIONS[name]._creates and name != "broadcast_shapes"


def test_most_functions_of_the_standard_must_work():
    assert sum(map(must_work, FUNCTIONS)) > 130
    assert must_work("linalg.svd") and must_work("fft.rfft") and not must_work("einsum")


def test_there_are_many():
    assert len(FUNCTIONS) > 300
    assert {"add", "linalg.svd", "fft.rfft", "einsum", "percentile", "unique_all"} <= set(FUNCTIONS)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_what_the_cpu_can_do_the_device_does_as_well(name):
    """Each pattern of arguments that works on the CPU gives the same on the device."""
    function = FUNCTIONS[name]
    worked = refused = 0
    for pattern in calls():
        arguments = calls()[pattern]
        if ON_CARD and (name, pattern) in ODD:
            continue
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                here = function(*arguments)
            except Exception:
                continue
            there_arguments = moved(calls()[pattern], "cuda:0")
            if ON_CARD:
                try:
                    there = function(*there_arguments)
                except (NotImplementedError, TypeError, ValueError):
                    refused += 1
                    continue
            else:
                there = function(*there_arguments)
        if ON_CARD and name in FACTORS:
            same_but_for_signs(there, here)
        else:
            same(there, here)
        same(list(there_arguments), list(arguments))  # what it wrote into, too
        worked += 1
    assert not (worked and name in UNTRIED), "a pattern of arguments fits this function"
    known = name in UNTRIED or name in SPECIAL or function._creates
    fits = worked or known or (refused and not must_work(name))
    assert fits, "no pattern of arguments fits this function"


# fmt: off
SPECIAL = {
    "apply_along_axis": lambda x: xp.apply_along_axis(lambda row: row * 2, 0, x),
    "apply_over_axes": lambda x: xp.apply_over_axes(xp.sum, x, [0]),
    "bincount": lambda x: xp.bincount(xp.astype(x[0], int)),
    "block": lambda x: xp.block([[x, x], [x, x]]),
    "broadcast_to": lambda x: xp.broadcast_to(x, (2, 3, 3)),
    "choose": lambda x: xp.choose(xp.astype(x[0] > 1, int), [x[1], x[2]]),
    "clip": lambda x: xp.clip(x, 2, None),
    "concat": lambda x: xp.concat([x, x], axis=1),
    "cross": lambda x: xp.cross(x, x + 1),
    "einsum": lambda x: xp.einsum("ij,jk->ik", x, x),
    "einsum_path": lambda x: xp.einsum_path("ij,jk->ik", x, x)[0],
    "gradient": lambda x: xp.gradient(x),
    "histogram": lambda x: xp.histogram(x, bins=3),
    "histogramdd": lambda x: xp.histogramdd(x, bins=2),
    "dsplit": lambda x: xp.dsplit(x[None], 3),
    "put_along_axis": lambda x: (xp.put_along_axis(x, xp.astype(x[:1] * 0, int), 9.0, 0), x),
    "ravel_multi_index": lambda x: xp.ravel_multi_index(tuple(x.astype(int)), (9, 9, 9)),
    "unpackbits": lambda x: xp.unpackbits(x.astype(xp.uint8)),
    "interp": lambda x: xp.interp(x[0], x[1], x[2]),
    "insert": lambda x: xp.insert(x, 1, 9.0, axis=0),
    "isin": lambda x: xp.isin(x, [1.0, 2.0]),
    "ix_": lambda x: xp.ix_(xp.astype(x[0], int), xp.astype(x[1], int)),
    "lexsort": lambda x: xp.lexsort((x[0], x[1])),
    "linalg.cond": lambda x: xp.linalg.cond(x),
    "linalg.lstsq": lambda x: xp.linalg.lstsq(x, x[0])[0],
    "linalg.multi_dot": lambda x: xp.linalg.multi_dot([x, x, x]),
    "linalg.tensorsolve": lambda x: xp.linalg.tensorsolve(x, x[0]),
    "meshgrid": lambda x: xp.meshgrid(x[0], x[1], indexing="ij"),
    "moveaxis": lambda x: xp.moveaxis(x, 0, 1),
    "nan_to_num": lambda x: xp.nan_to_num(x),
    "pad": lambda x: xp.pad(x, 1),
    "percentile": lambda x: xp.percentile(x, [25, 75], axis=0),
    "permute_dims": lambda x: xp.permute_dims(x, (1, 0)),
    "piecewise": lambda x: xp.piecewise(x, [x < 2, x >= 2], [lambda v: -v, 1.0]),
    "polyfit": lambda x: xp.polyfit(x[0], x[1], 1),
    "roll": lambda x: xp.roll(x, 1, axis=1),
    "rollaxis": lambda x: xp.rollaxis(x, 1),
    "searchsorted": lambda x: xp.searchsorted(xp.sort(x[0]), x[1]),
    "select": lambda x: xp.select([x < 2, x > 3], [x, -x], 0.0),
    "sort": lambda x: xp.sort(x, descending=True),
    "split": lambda x: xp.split(x, 3),
    "std": lambda x: xp.std(x, axis=0, ddof=1),
    "std of the standard": lambda x: xp.std(x, correction=1),
    "swapaxes": lambda x: xp.swapaxes(x, 0, 1),
    "sum where": lambda x: xp.sum(x, where=x > 1, initial=5.0),
    "take_along_axis": lambda x: xp.take_along_axis(x, xp.argsort(x, axis=0), axis=0),
    "tensordot": lambda x: xp.tensordot(x, x, axes=1),
    "ufunc.at": lambda x: (y := x.copy(), xp.add.at(y, [0, 0], 1.0))[0],
    "ufunc.outer": lambda x: xp.add.outer(x[0], x[1]),
    "ufunc.reduce": lambda x: xp.add.reduce(x, axis=1),
    "unravel_index": lambda x: xp.unravel_index(xp.astype(x[0], int), (3, 3)),
    "vander": lambda x: xp.vander(x[0], 3),
}
# fmt: on
#: Which work on the card is the card's to say: CuPy lacks some.
DOUBLE_ONLY = {"block", "einsum_path", "insert", "linalg.multi_dot", "piecewise", "sum where"}


@pytest.mark.parametrize("name", sorted(SPECIAL))
def test_functions_with_arguments_of_their_own(name):
    x = xp.asarray([[4.0, 1.0, 2.0], [1.0, 5.0, 3.0], [2.0, 3.0, 6.0]])
    if ON_CARD and name in DOUBLE_ONLY:
        with pytest.raises(NotImplementedError):
            SPECIAL[name](x.to_device("cuda:0"))
    else:
        both(SPECIAL[name], x)


def test_functions_of_types():
    x = xp.ones(2, dtype=xp.float32, device="cuda:0")
    n = xp.ones(2, dtype=xp.int8, device="cuda:0")
    assert xp.result_type(x, n, 1) == np.float32
    assert xp.can_cast(n, xp.int16)
    assert xp.finfo(x).bits == 32
    assert xp.iinfo(n).max == 127
    assert xp.isdtype(x.dtype, "real floating")


def test_results_come_from_the_inputs_and_not_from_the_context():
    x = xp.ones(3, device=SECOND)
    here = xp.ones(3)
    with xp.Device("cuda:0"):
        for result in (xp.sin(x), x + 1, x.sum(), x[1:], xp.zeros_like(x), xp.full(2, x[0])):
            assert result.device == SECOND
        for result in (xp.sin(here), here + 1, here.sum(), xp.zeros_like(here)):
            assert result.device == "cpu"
        assert xp.sin([1.0]).device == "cuda:0"  # as asarray([1.0]), which has no device yet


def test_out_comes_back_as_the_object_that_was_passed():
    x = xp.asarray([1.0, 4.0], device="cuda:0")
    out = xp.empty(2, device="cuda:0")
    assert xp.sqrt(x, out=out) is out
    assert out.tolist() == [1.0, 2.0]
    assert xp.add(x, x, out) is out
    assert xp.sum(x, out=(total := xp.empty((), device="cuda:0"))) is total
    assert x.sum(out=total) is total
    assert x.cumsum(0, None, out) is out
    one, other = xp.empty(2, device="cuda:0"), xp.empty(2, device="cuda:0")
    assert xp.divmod(x, 3, out=(one, other))[1] is other
    assert xp.astype(x, xp.float64, copy=False) is x
    assert x.astype(float, copy=False) is x


def test_what_changes_in_place_changes_on_the_device():
    x = xp.asarray([1.0, 2.0, 3.0], device="cuda:0")
    xp.copyto(x, 5.0)
    assert x.tolist() == [5.0, 5.0, 5.0]
    xp.put(x, [0], 1.0)
    xp.putmask(x, x > 4, 7.0)
    assert x.tolist() == [1.0, 7.0, 7.0]
    m = xp.zeros((2, 2), device="cuda:0")
    xp.fill_diagonal(m, 1.0)
    assert m.tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_callbacks_get_arrays_of_the_device():
    seen = []

    def function(row):
        seen.append(row)
        made.append(xp.zeros(1))
        return row.sum()

    made = []
    x = xp.asarray([[1.0, 2.0], [3.0, 4.0]], device=SECOND)
    result = xp.apply_along_axis(function, 1, x)
    assert all(y.device == "cpu" and y.is_shared() for y in made)
    with xp.Device("cuda:0"):
        xp.apply_along_axis(function, 1, x)
    assert made[-1].device == "cuda:0"
    assert result.tolist() == [3.0, 7.0]
    assert result.device == SECOND
    assert {row.device for row in seen} == {xp.Device(SECOND)}


def test_what_works_on_the_cpu_only_says_so():
    x = xp.ones(3, device="cuda:0")
    for use in (
        lambda: xp.vectorize(lambda v: v)(x),
        lambda: xp.r_[x, x],
    ):
        with pytest.raises(NotImplementedError, match="to_device"):
            use()


def test_generators_draw_numpys_stream_for_the_device_in_force():
    with xp.Device("cuda:0"):
        drawn = xp.random.default_rng(0).random(3)
        number = xp.random.default_rng(0).random()
    same(drawn, xp.random.default_rng(0).random(3))
    assert float(number) == np.random.default_rng(0).random()
    assert xp.random.default_rng(0).random(3).device == "cpu"


def test_generators_answer_where_their_arguments_are():
    x = xp.arange(5, device="cuda:0")
    same(xp.random.default_rng(1).permutation(x), xp.random.default_rng(1).permutation(x.cpu()))
    here = x.cpu()
    xp.random.default_rng(2).shuffle(here)
    assert xp.random.default_rng(2).shuffle(x) is None
    same(x, here)
    out = xp.empty(4, device="cuda:0")
    assert xp.random.default_rng(3).random(out=out) is out
    same(out, xp.random.default_rng(3).random(4))
    with pytest.raises(ValueError, match=r"cpu and on cuda:0"):
        xp.random.default_rng(0).choice(x, 2, p=xp.ones(5) / 5)


def test_numpys_older_functions_draw_on_the_device_in_force():
    with xp.Device("cuda:0"):
        assert xp.random.rand(2, 3).device == "cuda:0"
        assert xp.random.uniform(size=4).shape == (4,)


def test_what_the_library_lacks_is_named(monkeypatch):
    def lacking(name, reference):
        raise NotImplementedError(f"{name}: there is no such function")

    x = xp.ones((2, 2), device="cuda:0")
    monkeypatch.setattr(_backends.loaded(), "function", lacking)
    with pytest.raises(NotImplementedError, match=r"linalg\.svd"):
        xp.linalg.svd(x)
    with pytest.raises(NotImplementedError, match=r"add\.reduce"):
        xp.add.reduce(x)


def test_keywords_and_numpys_names():
    x = xp.asarray([[1.0, 2.0], [3.0, 4.0]])
    both(lambda a: xp.sum(a=a, axis=0), x)
    both(lambda a: xp.reshape(a, newshape=(4,)), x) if "newshape" in str(
        inspect.signature(np.reshape)
    ) else both(lambda a: xp.reshape(a, shape=(4,)), x)
    both(lambda a: xp.mean(a, axis=0, keepdims=True), x)
    both(lambda a: xp.max(a, -1), x)
