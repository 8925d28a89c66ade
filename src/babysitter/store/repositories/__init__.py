"""One repository for each table or group of tables."""
