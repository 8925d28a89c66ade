"""Running a ladder of jobs."""
