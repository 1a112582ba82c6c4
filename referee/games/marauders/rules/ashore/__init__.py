"""The Port action: market, shipyard, tavern, glory cards."""
