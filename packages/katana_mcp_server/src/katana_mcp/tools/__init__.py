"""Shapes that every tool shares: warnings, their codes, requests and answers."""
