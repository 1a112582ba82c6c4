"""What is wrong with the folder of an event, and how it is mended."""
