"""Checks of the program that is to be run: is it there, and do its files reach the job?"""
