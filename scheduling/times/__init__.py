"""How long jobs run where they are."""
