"""A recording of what users see: scripted studies, every number and every line they print.

It uses the public names and the command line only, so that the same scripts run before and after a
reorganisation of the code, and ``compare`` shows bit for bit whether anything changed.
"""
