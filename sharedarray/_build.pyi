compiler: str
cython: str
numpy_api: int
numpy_api_oldest: int
