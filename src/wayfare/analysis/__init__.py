"""What can be said of a space and its travel cost before a study."""
