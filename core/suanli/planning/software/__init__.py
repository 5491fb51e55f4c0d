"""Software of an option: what its layout needs of the training framework, and how it is launched."""
