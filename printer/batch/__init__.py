"""Lists of pages printed to a folder, a file each, however often the work is broken off.

list of addresses -> Items (what is to be done) -> jobs of the engine -> files, report
"""
