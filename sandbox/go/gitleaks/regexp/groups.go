package regexp

import "strings"

// countGroups counts the groups of an expression that is one, without parsing it: that is asked of every rule at each start.
func countGroups(expr string) int {
	count := 0
	for at := 0; at < len(expr); at++ {
		switch expr[at] {
		case '\\':
			at++
			if strings.HasPrefix(expr[at:], "Q") {
				end := strings.Index(expr[at:], `\E`)
				if end < 0 {
					return count
				}
				at += end + 1
			}
		case '[':
			at = endOfClass(expr, at)
		case '(':
			rest := expr[at+1:]
			if !strings.HasPrefix(rest, "?") || strings.HasPrefix(rest, "?P<") || strings.HasPrefix(rest, "?<") {
				count++
			}
		}
	}
	return count
}

// endOfClass returns the place of the bracket that closes the class.
func endOfClass(expr string, at int) int {
	at++
	if strings.HasPrefix(expr[at:], "^") {
		at++
	}
	for first := true; at < len(expr); first = false {
		switch {
		case expr[at] == ']' && !first:
			return at
		case expr[at] == '\\':
			at += 2
		case strings.HasPrefix(expr[at:], "[:") && strings.Contains(expr[at+2:], ":]"):
			at += 2 + strings.Index(expr[at+2:], ":]") + 2
		default:
			at++
		}
	}
	return at
}
