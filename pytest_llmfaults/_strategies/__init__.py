"""Behind ``strategies``: edits of healthy replies, the tables of what can be done to one, and how they are drawn."""
