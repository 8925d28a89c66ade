"""Workers, cards, partitions and items of a job, as its lines name them: lost, broken, left over."""
