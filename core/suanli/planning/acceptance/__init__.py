"""The acceptance of a cluster: which tests apply, and the pass values that the plan itself gives them."""
