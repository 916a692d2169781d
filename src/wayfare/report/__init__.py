"""Reports on a study: costs, what is left, the ledger, the route ahead, the best place, drift."""
