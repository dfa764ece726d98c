"""Rules that hold for every tool, whichever tools there are."""
