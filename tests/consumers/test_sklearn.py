"""scikit-learn with ``array_api_dispatch=True``: estimators, metrics, preprocessing, and travel."""

import pickle

import joblib
import numpy as np
import pytest
import sklearn
import sklearn.datasets
import sklearn.decomposition
import sklearn.discriminant_analysis
import sklearn.linear_model
import sklearn.metrics
import sklearn.mixture
import sklearn.naive_bayes
import sklearn.pipeline
import sklearn.preprocessing
from sklearn.base import clone

import sharedarray as xp

from .common import check

X, Y = sklearn.datasets.make_classification(
    n_samples=120, n_features=6, n_informative=4, n_classes=3, random_state=0
)
T = X @ np.arange(1.0, 7.0) + 0.5


# scikit-learn 1.9 switches NumPy's warning off for NumPy's own arrays only (utils/extmath.py).
pytestmark = pytest.mark.filterwarnings("ignore:invalid value encountered in divide:RuntimeWarning")


@pytest.fixture(autouse=True)
def dispatch():
    """Switch dispatch on."""
    with sklearn.config_context(array_api_dispatch=True):
        yield


ESTIMATORS = {
    "PCA": (sklearn.decomposition.PCA(n_components=3, svd_solver="full"), None, ["transform"]),
    "PCA randomized": (
        sklearn.decomposition.PCA(
            n_components=2,
            svd_solver="randomized",
            power_iteration_normalizer="QR",
            random_state=0,
        ),
        None,
        ["transform"],
    ),
    "Ridge": (sklearn.linear_model.Ridge(alpha=0.5, solver="svd"), T, ["predict"]),
    "RidgeClassifier": (
        sklearn.linear_model.RidgeClassifier(solver="svd"),
        Y,
        ["predict", "decision_function"],
    ),
    "LinearDiscriminantAnalysis": (
        sklearn.discriminant_analysis.LinearDiscriminantAnalysis(solver="svd"),
        Y,
        ["predict", "predict_proba", "transform"],
    ),
    "GaussianMixture": (
        sklearn.mixture.GaussianMixture(
            n_components=3, init_params="random", random_state=0, max_iter=20, tol=1e-1
        ),
        None,
        ["predict", "predict_proba", "score_samples"],
    ),
    "GaussianNB": (sklearn.naive_bayes.GaussianNB(), Y, ["predict", "predict_proba"]),
    "StandardScaler": (sklearn.preprocessing.StandardScaler(), None, ["transform"]),
    "MinMaxScaler": (sklearn.preprocessing.MinMaxScaler(), None, ["transform"]),
    "MaxAbsScaler": (sklearn.preprocessing.MaxAbsScaler(), None, ["transform"]),
    "Normalizer": (sklearn.preprocessing.Normalizer(), None, ["transform"]),
    "PolynomialFeatures": (sklearn.preprocessing.PolynomialFeatures(2), None, ["transform"]),
    "LabelEncoder": (sklearn.preprocessing.LabelEncoder(), Y, []),
    "Pipeline": (
        sklearn.pipeline.make_pipeline(
            sklearn.preprocessing.StandardScaler(),
            sklearn.linear_model.Ridge(solver="svd"),
        ),
        T,
        ["predict"],
    ),
}


def arrays_of(estimator):
    """Map the fitted attributes that are arrays, of the steps of a pipeline too."""
    steps = [step for _, step in getattr(estimator, "steps", [])] or [estimator]
    return {
        f"{number}.{name}": value
        for number, step in enumerate(steps)
        for name, value in vars(step).items()
        if name.endswith("_") and isinstance(value, (np.ndarray, np.generic, xp.Array))
    }


def fit(name, convert):
    """Return the estimator fitted on arrays made by `convert`."""
    estimator, target, _ = ESTIMATORS[name]
    if name == "LabelEncoder":
        return clone(estimator).fit(convert(target))
    return clone(estimator).fit(convert(X), None if target is None else convert(target))


@pytest.mark.filterwarnings("ignore:Best performing initialization did not converge")
@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimator(name):
    got, want = fit(name, xp.asarray), fit(name, np.asarray)
    attributes = arrays_of(want)
    assert attributes or name in ("Normalizer", "PolynomialFeatures")
    assert arrays_of(got).keys() == attributes.keys()
    for attribute, value in attributes.items():
        check(arrays_of(got)[attribute], value, 1e-7, 1e-7, where=attribute)
    for method in ESTIMATORS[name][2]:
        result = getattr(got, method)(xp.asarray(X))
        check(result, getattr(want, method)(X), 1e-7, 1e-7, where=method)


SENT = [
    "PCA",
    "Ridge",
    "LinearDiscriminantAnalysis",
    "GaussianNB",
    "GaussianMixture",
    "StandardScaler",
]


@pytest.mark.filterwarnings("ignore:Best performing initialization did not converge")
@pytest.mark.parametrize("name", [*SENT, "Pipeline"])
def test_clone_and_pickle(name):
    """A clone is not fitted; what is loaded has copies, writable and in shared memory."""
    fitted = fit(name, xp.asarray)
    assert not arrays_of(clone(fitted))
    loaded = pickle.loads(pickle.dumps(fitted))
    for attribute, value in arrays_of(fitted).items():
        copy = arrays_of(loaded)[attribute]
        check(copy, value.numpy(), 0, 0, where=attribute)
        if copy.size:
            before = value.tolist()
            copy[...] = 0
            assert value.tolist() == before


def test_parameters_that_are_arrays_are_copied_by_clone():
    start = xp.asarray(X[:3, :])
    estimator = sklearn.mixture.GaussianMixture(n_components=3, means_init=start)
    copied = clone(estimator).means_init
    check(copied, X[:3, :])
    copied[...] = 0
    assert start.tolist() == X[:3, :].tolist()


def change(estimator):
    """Change each fitted array in place; return whether all are shared."""
    arrays = arrays_of(estimator)
    for value in arrays.values():
        value += 1
    return bool(arrays) and all(value.is_shared() for value in arrays.values())


@pytest.mark.filterwarnings("ignore:Best performing initialization did not converge")
@pytest.mark.parametrize("name", SENT)
def test_a_fitted_estimator_goes_to_a_child_by_handle(name, worker):
    """Its arrays are the very memory there: what the child writes is seen here."""
    fitted = fit(name, xp.asarray)
    before = {key: value.numpy().copy() for key, value in arrays_of(fitted).items()}
    assert worker.call(change, fitted)
    for key, value in arrays_of(fitted).items():
        check(value, before[key] + 1, where=key)


def test_a_child_predicts(worker):
    fitted, x = fit("Pipeline", xp.asarray), xp.asarray(X)
    got = worker.run(
        """
        import sklearn
        with sklearn.config_context(array_api_dispatch=True):
            return fitted.predict(x)
        """,
        fitted=fitted,
        x=x,
    )
    check(got, fit("Pipeline", np.asarray).predict(X), 1e-9, 1e-9)


def test_joblib_files(tmp_path):
    fitted = fit("Ridge", xp.asarray)
    joblib.dump(fitted, tmp_path / "model")
    check(joblib.load(tmp_path / "model").coef_, fitted.coef_.numpy())


G = (Y + (np.arange(Y.size) % 5 == 0)) % 3  # guesses, a fifth of them wrong
METRICS = {
    "accuracy_score": (Y, G),
    "balanced_accuracy_score": (Y, G),
    "confusion_matrix": (Y, G),
    "f1_score": (Y, G, {"average": "macro"}),
    "precision_score": (Y, G, {"average": "micro"}),
    "recall_score": (Y, G, {"average": None}),
    "zero_one_loss": (Y, G),
    "hamming_loss": (Y, G),
    "jaccard_score": (Y, G, {"average": "macro"}),
    "mean_squared_error": (T, T + X[:, 0]),
    "mean_absolute_error": (T, T + X[:, 0]),
    "r2_score": (T, T + X[:, 0]),
    "max_error": (T, T + X[:, 0]),
    "explained_variance_score": (T, T + X[:, 0]),
    "mean_pinball_loss": (T, T + X[:, 0]),
    "d2_tweedie_score": (T, T + X[:, 0]),
    "pairwise.euclidean_distances": (X[:20], X[20:50]),
    "pairwise.cosine_similarity": (X[:20], X[20:50]),
    "pairwise.rbf_kernel": (X[:20], X[20:50]),
    "pairwise.polynomial_kernel": (X[:20], X[20:50]),
    "pairwise.manhattan_distances": (X[:20], X[20:50]),
    "pairwise.paired_euclidean_distances": (X[:20], X[20:40]),
}


@pytest.mark.parametrize("name", METRICS)
def test_metric(name):
    first, second, *more = METRICS[name]
    function = sklearn.metrics
    for part in name.split("."):
        function = getattr(function, part)
    keywords = more[0] if more else {}
    got = function(xp.asarray(first), xp.asarray(second), **keywords)
    check(got, function(first, second, **keywords), 1e-9, 1e-9, where=name)


@pytest.mark.parametrize("name", ["PCA", "Ridge", "StandardScaler"])
def test_dispatch_off(name):
    """Without dispatch Arrays are read as NumPy's, and results are NumPy's."""
    with sklearn.config_context(array_api_dispatch=False):
        got, want = fit(name, xp.asarray), fit(name, np.asarray)
        for attribute, value in arrays_of(want).items():
            assert type(arrays_of(got)[attribute]) is type(value)
            np.testing.assert_allclose(arrays_of(got)[attribute], value, rtol=1e-9)


def test_inputs_of_two_namespaces():
    """The first input decides; the others are moved to it."""
    model = sklearn.linear_model.Ridge(solver="svd").fit(xp.asarray(X), T)
    assert type(model.coef_) is xp.Array
    model = sklearn.linear_model.Ridge(solver="svd").fit(X, xp.asarray(T))
    assert type(model.coef_) is np.ndarray
