"""What a buyer asks for and how it is judged: clauses without brands, scores, dates."""
