"""Rules and predicates: which causes the lines and facts support."""
