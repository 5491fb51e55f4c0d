"""What an acceptance plan hands out: the plan as text, its pass values as data, and scripts."""
