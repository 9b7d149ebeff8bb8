"""What tells how good and how fast webprint is: `make bench`, or each module by itself."""
