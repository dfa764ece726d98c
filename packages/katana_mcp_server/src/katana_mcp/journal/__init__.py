"""The journal of planned and applied writes: what makes each plan apply at most once, and tells what became of it."""
