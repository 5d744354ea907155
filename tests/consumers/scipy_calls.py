"""
Calls of SciPy, one for each thing a package offers, on arrays made by NumPy.

Each is a function without arguments of its own: ``call(s)`` gets the function that turns NumPy's
arrays into those to be tried.
"""

import numpy as np
import scipy.cluster.hierarchy
import scipy.cluster.vq
import scipy.fft
import scipy.integrate
import scipy.ndimage
import scipy.optimize.elementwise
import scipy.signal
import scipy.spatial.transform
import scipy.special
import scipy.stats

from .common import rng

R = rng()
V = R.standard_normal(64)
P = R.uniform(0.1, 0.9, 64)
M = R.standard_normal((12, 9))
IMAGE = R.uniform(size=(16, 14))
POINTS = np.concat([R.standard_normal((20, 2)), R.standard_normal((20, 2)) + 8])
QUATERNIONS = R.standard_normal((5, 4))
N = np.arange(1, 7)


def bracket(s):
    """Find a root of a function of arrays, elementwise."""
    low, high = s(np.zeros(4)), s(np.full(4, 3.0))
    found = scipy.optimize.elementwise.find_root(
        lambda x, c: x * x - c, (low, high), args=(s(np.asarray([1.0, 2.0, 3.0, 4.0])),)
    )
    return found.x, found.f_x, found.success


def minimum(s):
    """Find a minimum of a function of arrays, elementwise."""
    ends = tuple(s(np.full(3, end)) for end in (-5.0, 0.5, 9.0))
    found = scipy.optimize.elementwise.find_minimum(
        lambda x, c: (x - c) ** 2, ends, args=(s(np.asarray([1.0, 2.0, 3.0])),)
    )
    return found.x, found.success


def sosfilt(s):
    """Filter by second-order sections that came from poles and zeros."""
    zeros, poles, gain = (
        s(np.asarray([1.0, -1.0])),
        s(np.asarray([0.5 + 0.2j, 0.5 - 0.2j])),
        0.5,
    )
    sections = scipy.signal.zpk2sos(zeros, poles, gain)
    return sections, scipy.signal.sosfilt(sections, s(V))


def rotate(s):
    """Turn vectors, and go through the representations."""
    turn = scipy.spatial.transform.Rotation.from_quat(s(QUATERNIONS))
    other = scipy.spatial.transform.Rotation.from_rotvec(s(QUATERNIONS[:, :3].copy()))
    both = turn * other
    return both.as_matrix(), both.as_euler("xyz"), both.inv().apply(s(M[:5, :3].copy()))


def integral(s):
    """Integrate a function of arrays."""
    low, high = s(np.zeros(3)), s(np.asarray([1.0, 2.0, 3.0]))
    found = scipy.integrate.tanhsinh(lambda x: x * x, low, high)
    return found.integral, found.success


CALLS = {
    "special.erf": lambda s: scipy.special.erf(s(V)),
    "special.gammaln": lambda s: scipy.special.gammaln(s(P)),
    "special.expit": lambda s: scipy.special.expit(s(V)),
    "special.logit": lambda s: scipy.special.logit(s(P)),
    "special.betainc": lambda s: scipy.special.betainc(s(P), s(P[::-1].copy()), s(P)),
    "special.xlogy": lambda s: scipy.special.xlogy(s(P), s(P)),
    "special.ndtri": lambda s: scipy.special.ndtri(s(P)),
    "special.logsumexp": lambda s: scipy.special.logsumexp(s(M), axis=1),
    "special.softmax": lambda s: scipy.special.softmax(s(M), axis=0),
    "special.i0": lambda s: scipy.special.i0(s(V)),
    "stats.zscore": lambda s: scipy.stats.zscore(s(M), axis=1),
    "stats.skew": lambda s: scipy.stats.skew(s(M)),
    "stats.kurtosis": lambda s: scipy.stats.kurtosis(s(M), axis=1),
    "stats.describe": lambda s: scipy.stats.describe(s(M)),
    "stats.ttest_ind": lambda s: tuple(scipy.stats.ttest_ind(s(V), s(V + P))),
    "stats.pearsonr": lambda s: tuple(scipy.stats.pearsonr(s(V), s(P))),
    "stats.spearmanr": lambda s: tuple(scipy.stats.spearmanr(s(V), s(P))),
    "stats.mannwhitneyu": lambda s: tuple(scipy.stats.mannwhitneyu(s(V), s(P))),
    "stats.chisquare": lambda s: tuple(scipy.stats.chisquare(s(P))),
    "stats.rankdata": lambda s: scipy.stats.rankdata(s(V)),
    "stats.gmean": lambda s: scipy.stats.gmean(s(P)),
    "stats.entropy": lambda s: scipy.stats.entropy(s(P)),
    "stats.moment": lambda s: scipy.stats.moment(s(V), [2, 3]),
    "stats.bartlett": lambda s: tuple(scipy.stats.bartlett(s(V), s(P))),
    "signal.convolve": lambda s: scipy.signal.convolve(s(V), s(P)),
    "signal.fftconvolve": lambda s: scipy.signal.fftconvolve(s(IMAGE), s(IMAGE[:3, :3].copy())),
    "signal.butter": lambda s: scipy.signal.lfilter(s(np.asarray([0.2, 0.3])), s(np.ones(1)), s(V)),
    "signal.sosfilt": sosfilt,
    "signal.detrend": lambda s: scipy.signal.detrend(s(V)),
    "signal.hilbert": lambda s: scipy.signal.hilbert(s(V)),
    "signal.welch": lambda s: scipy.signal.welch(s(V), nperseg=32),
    "signal.resample": lambda s: scipy.signal.resample(s(V), 32),
    "signal.savgol_filter": lambda s: scipy.signal.savgol_filter(s(V), 7, 2),
    "fft.fft": lambda s: scipy.fft.fft(s(V)),
    "fft.rfftn": lambda s: scipy.fft.rfftn(s(IMAGE)),
    "fft.ifft2": lambda s: scipy.fft.ifft2(s(IMAGE)),
    "fft.dct": lambda s: scipy.fft.dct(s(V)),
    "fft.dstn": lambda s: scipy.fft.dstn(s(IMAGE), type=3),
    "fft.fht": lambda s: scipy.fft.fht(s(V), 0.1, 0.5),
    "fft.fftshift": lambda s: scipy.fft.fftshift(s(IMAGE)),
    "cluster.whiten": lambda s: scipy.cluster.vq.whiten(s(POINTS)),
    "cluster.vq": lambda s: scipy.cluster.vq.vq(s(POINTS), s(POINTS[::20].copy())),
    "cluster.kmeans2": lambda s: scipy.cluster.vq.kmeans2(s(POINTS), s(POINTS[::20].copy())),
    "cluster.linkage": lambda s: scipy.cluster.hierarchy.linkage(s(POINTS), "ward"),
    "cluster.fcluster": lambda s: scipy.cluster.hierarchy.fcluster(
        scipy.cluster.hierarchy.linkage(s(POINTS)), 2, "maxclust"
    ),
    "ndimage.gaussian_filter": lambda s: scipy.ndimage.gaussian_filter(s(IMAGE), 1.5),
    "ndimage.sobel": lambda s: scipy.ndimage.sobel(s(IMAGE)),
    "ndimage.label": lambda s: scipy.ndimage.label(s(IMAGE > 0.6)),
    "ndimage.rotate": lambda s: scipy.ndimage.rotate(s(IMAGE), 30.0),
    "ndimage.binary_dilation": lambda s: scipy.ndimage.binary_dilation(s(IMAGE > 0.8)),
    "ndimage.distance_transform_edt": lambda s: scipy.ndimage.distance_transform_edt(
        s(IMAGE > 0.3)
    ),
    "ndimage.center_of_mass": lambda s: scipy.ndimage.center_of_mass(s(IMAGE)),
    "integrate.simpson": lambda s: scipy.integrate.simpson(s(V), x=s(np.cumsum(P))),
    "integrate.trapezoid": lambda s: scipy.integrate.trapezoid(s(M), axis=0),
    "integrate.cumulative_simpson": lambda s: scipy.integrate.cumulative_simpson(s(V), dx=0.5),
    "integrate.tanhsinh": integral,
    "optimize.find_root": bracket,
    "optimize.find_minimum": minimum,
    "spatial.transform.Rotation": rotate,
}
