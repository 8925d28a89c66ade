"""Starting, stopping, reading and waiting for watches."""
