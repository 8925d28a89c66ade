"""YAML files become the rules in force; an edited file is read again."""
