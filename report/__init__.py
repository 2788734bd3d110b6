"""What people read: tables, pictures, files and what a terminal shows while something runs."""
