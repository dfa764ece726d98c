"""Goods moved between the bins of one location: `plan_bin_transfer`."""
