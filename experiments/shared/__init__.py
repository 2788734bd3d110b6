"""The common parts of several studies: readings of logs, verdicts, pictures, cases."""
