"""Pure functions from a model, a workload and a device to work, memory, time and a layout."""
