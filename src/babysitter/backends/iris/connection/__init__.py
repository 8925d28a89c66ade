"""How a controller is reached and asked: cluster file, tunnel, credentials, transports."""
