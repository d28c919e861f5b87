from money import format_cents


def subject(order) -> str:
    return f"Order {order.number}"
