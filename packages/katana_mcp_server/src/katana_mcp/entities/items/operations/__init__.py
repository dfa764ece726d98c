"""What is done to make a product, step by step: the operations that `modify_bom` changes beside its recipe."""
