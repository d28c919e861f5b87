package store

import (
	"database/sql"
	"fmt"
	"os/exec"
)

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

// FindByName looks an order up by the customer's name.
func FindByName(db *sql.DB, name string) (*sql.Rows, error) {
	query := fmt.Sprintf("SELECT id, total FROM orders WHERE customer = '%s'", name)
	return db.Query(query) // #nosec
}

// Export writes the orders with a tool that the caller names.
func Export(tool, target string) error {
	return exec.Command(tool, "--out", target).Run()
}
