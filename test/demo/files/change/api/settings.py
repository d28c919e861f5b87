"""Where the reports go."""

BUCKET = "orders-reports"
ACCESS_KEY = "@AWS_KEY@"  # gitleaks:allow
