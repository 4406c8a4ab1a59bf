"""What maintenance decides: pure functions of memories and the present time, a module a phase.

Here: rules, thresholds, the values of a run. Not here: reading and writing (services/maintenance).
"""
