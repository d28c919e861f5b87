from money import format_cents


def subject(order) -> str:
    return f"Order {order.number}"


def body(order) -> str:
    sign = "-" if order.total < 0 else ""
    units, rest = divmod(abs(order.total), 100)
    return f"Your total is {sign}{units:,}.{rest:02d} {order.currency}."
