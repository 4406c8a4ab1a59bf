"""Rules, thresholds and values of maintenance: pure functions of memories and the present time.

Reading and writing: services/maintenance.
"""
