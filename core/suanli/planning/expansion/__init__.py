"""How a cluster grows: what of today's is reused, what is re-cabled, which servers grow in which steps."""
