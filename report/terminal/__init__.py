"""What a user sees while and after a command works: tables, JSON, progress, the note on compiling."""
