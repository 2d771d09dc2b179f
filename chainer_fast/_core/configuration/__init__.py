"""What a thread has set: its configuration and its hooks; ``state`` comes first."""
