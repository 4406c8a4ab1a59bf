"""The only place that joins ports to adapters: one module per process."""
