"""Getting pages and pictures: guarded, bounded, cached."""
