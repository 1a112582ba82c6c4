"""The gRPC services of an arena, and the servers they run on."""
