"""What commands answer without a page of their own kind: sentences, the first with the number, and tables."""
