def total_pages(count: int, size: int) -> int:
    """Pages that `count` rows fill; an empty list has none."""
    return (count + size - 1) // size
