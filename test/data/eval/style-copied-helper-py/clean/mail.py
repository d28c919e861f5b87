from money import format_cents


def subject(order) -> str:
    return f"Order {order.number}"


def body(order) -> str:
    return f"Your total is {format_cents(order.total, order.currency)}."
