"""The values of the domain, with the rules that belong to one value alone."""
