from pathlib import Path

STORE = Path("/srv/invoices")


def list_invoices(customer_id: int) -> list[str]:
    return sorted(p.name for p in (STORE / str(customer_id)).glob("*.pdf"))
