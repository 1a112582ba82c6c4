"""Files, folders, processes, logs, databases and settings: what every room of the server may use."""
