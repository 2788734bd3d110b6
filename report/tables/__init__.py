"""What results are summarised to before they are shown: means, spreads, metrics, figures of schedules."""
