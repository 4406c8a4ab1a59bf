"""The values of the domain, each with the rules that concern it alone."""
