"""What addresses share, whosever they are: the place, and who is to be met there (facts 3.3, 3.5, 4.2)."""

PLACE = ("line_1", "line_2", "city", "state", "zip", "country")
PERSON = ("first_name", "last_name", "company", "phone")
