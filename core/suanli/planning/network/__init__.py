"""The networks of a cluster: compute, storage and management, with every cable from port to port."""
