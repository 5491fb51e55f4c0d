"""Huawei Ascend accelerators, servers, fabric, software, compliance and prices, as data."""

__version__ = "0.1.0"
