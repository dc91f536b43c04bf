"""Memory Fabric: one long-term memory for coding agents."""
