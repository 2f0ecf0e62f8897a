"""What holds for a call: its arguments, what the user told, and where the code runs."""
