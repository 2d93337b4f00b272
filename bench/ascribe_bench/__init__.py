"""The benchmark of Ascribe: see bench/run."""
