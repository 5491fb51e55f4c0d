"""Does it fit: memory of a model on cards, the fewest cards, the longest sequence, and the ways out."""
