"""Definitions of custom fields: `define_custom_field` plans a new one, a change of one, or its deletion."""
