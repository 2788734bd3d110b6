"""What ``netplace demo`` shows."""
