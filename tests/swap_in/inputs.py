"""The arrays that the calls of the tables name, made anew for each call."""

INPUTS = {
    # floating point
    "m": "np.array([[0.5, 2.0, -1.25, 3.0], [4.0, -0.5, 1.5, 2.0], [1.0, 0.0, -2.0, 8.0]])",
    "v": "np.array([3.0, 1.0, 2.0, 2.0])",
    "w": "np.array([0.5, 0.25, 0.75, 1.0])",
    "up": "np.array([-1.0, 0.5, 2.0, 2.5])",
    "h": "np.array([[1.5, -2.0], [0.25, 3.0]], dtype=np.float32)",
    "tiny": "np.array([1.5, -2.0, 0.25], dtype=np.float16)",
    "long": "np.array([1.5, -2.0, 0.25], dtype=np.longdouble)",
    "big": "np.array([1.5, -2.0, 0.25], dtype='>f8')",
    "n": "np.array([[1.0, np.nan, 3.0, 2.0], [np.nan, 5.0, -1.0, 0.0], [4.0, 4.0, np.nan, 1.0]])",
    "odd": "np.array([0.0, -0.0, np.inf, -np.inf, np.nan])",
    "none": "np.zeros((0, 3))",
    "one": "np.array(2.5)",
    "cube": "np.arange(24.0).reshape(2, 3, 4)",
    "q": "np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 5.0]])",
    "stack": "np.array([[[4.0, 1.0], [1.0, 3.0]], [[2.0, 0.0], [0.5, 1.0]]])",
    # complex
    "z": "np.array([1 + 2j, -0.5j, 3.0, -1 + 1j])",
    "zq": "np.array([[2.0, 1j], [-1j, 3.0]])",
    "zh": "np.array([1 + 2j, -0.5j], dtype=np.complex64)",
    # integers and booleans
    "i": "np.array([[3, 1, 2, 7], [7, 5, 0, 2], [1, 1, 4, 6]])",
    "k": "np.array([2, 0, 1, 1])",
    "u": "np.array([1, 5, 255, 16], dtype=np.uint8)",
    "b": "np.array([True, False, True, True])",
    "bm": "np.array([[True, False], [False, False]])",
    # dates, strings, records
    "d": "np.array(['2024-02-29', '2025-01-01', '2024-12-25'], dtype='datetime64[D]')",
    "nat": "np.array(['2024-02-29', 'NaT'], dtype='datetime64[s]')",
    "t": "np.array([1, 40, -3], dtype='timedelta64[D]')",
    "s": "np.array(['apple', 'Banana kiwi', ' x1 ', '42'])",
    "sb": "np.array([b'apple', b'Banana kiwi', b' x1 ', b'42'])",
    "r": "np.array([(1, 2.5), (3, 4.5), (2, 0.5)], dtype=[('a', 'i4'), ('b', 'f8')])",
}
