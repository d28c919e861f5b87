package stock

// Reserve takes n pieces of an article from the shelf and reports whether there were enough.
func (s *Shelf) Reserve(article string, n int) bool {
	if s.pieces[article] < n {
		return false
	}
	s.pieces[article] -= n
	return true
}

type Shelf struct {
	pieces map[string]int
}
