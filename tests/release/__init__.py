"""What is published: one wheel, its registry entry, its bundle, its image, and the workflows that make them."""
