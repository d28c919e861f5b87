def total_pages(count: int, size: int) -> int:
    """Pages that `count` rows fill; an empty list has none."""
    return (count + size - 1) // size


def page(rows: list, number: int, size: int) -> list:
    """Rows of a page; the first page is number 1."""
    if not 1 <= number < total_pages(len(rows), size):
        return []
    start = (number - 1) * size
    return rows[start : start + size]
