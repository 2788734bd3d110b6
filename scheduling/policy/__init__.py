"""Which job runs when: policies, by name."""
