"""Speed, memory and start-up beside what people would use instead; all of it: ``-m benchmarks``."""
