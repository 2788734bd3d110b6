"""What results are summarized to before they are shown: means, spreads, metrics, figures of schedules."""
