"""Plans: sequences of steps on arrays that are the same in every run."""
