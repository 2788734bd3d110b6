"""Which nodes a job gets on a machine that others share: partitioners, by name."""
