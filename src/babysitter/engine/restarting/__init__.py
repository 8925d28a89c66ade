"""An approved restart or stop, carried out step by step."""
