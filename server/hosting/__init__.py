"""A bot as a process: started, kept, seated at tables and ended. Nothing else here starts or ends a bot."""
