"""What several studies have in common: readings of logs, verdicts, pictures, cases."""
