"""Open orders moved within Katana's ranking, which decides who gets the stock: `prioritize_orders`."""
