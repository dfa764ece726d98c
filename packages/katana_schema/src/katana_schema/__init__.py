"""What Katana takes and answers, as data."""
