"""Spider's exact set match and hardness, for the small SQL grammar that the benchmark defines.

Tests: `tests/metrics/test_spider.py`.
"""
