"""What a study adds up to: costs, what is left, the best place, the route ahead."""
