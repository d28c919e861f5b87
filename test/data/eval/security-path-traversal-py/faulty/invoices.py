from pathlib import Path

STORE = Path("/srv/invoices")


def list_invoices(customer_id: int) -> list[str]:
    return sorted(p.name for p in (STORE / str(customer_id)).glob("*.pdf"))


def read_invoice(customer_id: int, name: str) -> bytes:
    """`name` comes from the query string."""
    return (STORE / str(customer_id) / name).read_bytes()
