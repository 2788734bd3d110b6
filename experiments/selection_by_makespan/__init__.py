"""The study ``selection-by-makespan``."""
