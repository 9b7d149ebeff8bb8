"""Benchmarks of quality and speed: run `make bench`, or each module by itself."""
