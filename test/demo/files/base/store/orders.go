package store

import "database/sql"

// Order is one line of an invoice.
type Order struct {
	ID    int
	Total int
}

// Find returns the order with this id.
func Find(db *sql.DB, id int) (Order, error) {
	var o Order
	err := db.QueryRow("SELECT id, total FROM orders WHERE id = ?", id).Scan(&o.ID, &o.Total)
	return o, err
}
