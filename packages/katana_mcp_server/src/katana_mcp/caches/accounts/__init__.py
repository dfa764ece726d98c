"""What all processes of this machine share about an account: its request budget and the name of its cache."""
