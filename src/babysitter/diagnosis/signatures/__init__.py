"""Texts that programs are known to print, compiled into one scanner."""
