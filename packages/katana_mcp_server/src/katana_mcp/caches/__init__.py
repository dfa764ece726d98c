"""The cache files of an account: which there are, what fills them, what is swapped; no tool is known here."""
