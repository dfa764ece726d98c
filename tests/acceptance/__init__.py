"""What a newcomer does first, as it is: real processes, real client, nothing put in their place."""
