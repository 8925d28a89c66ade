"""The phases of a start: which one has begun, how far it is, how long it usually takes."""
