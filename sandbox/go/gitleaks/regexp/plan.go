package regexp

import (
	"math"
	"regexp"
	"regexp/syntax"
	"slices"
	"sync"
	"unicode/utf8"
)

// search says how the matches of an expression are found: at least one branch of it has a part in every match.
type search struct {
	expr     string
	whole    *syntax.Prog
	branches []branch
	// anchored holds the expression for texts that begin at a match, and for those that begin one byte before.
	anchored [2]func() *regexp.Regexp
}

// branch is one alternative, cut in two: `before` has a bounded length, and the core begins with the anchor.
type branch struct {
	anchor anchor
	core   *syntax.Prog
	// A match begins at most `reach` bytes before its anchor, and only bytes of `before` lie between.
	reach  int
	before [256]bool
}

const (
	maxBranches = 16
	maxReach    = 4096
)

// planSearch returns nil when nothing tells where a match may begin.
func planSearch(expr string) *search {
	parsed, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		panic(err)
	}
	alternatives := expand(flatten(parsed))
	plan := &search{expr: expr}
	for _, parts := range alternatives {
		found, ok := cut(parts)
		if !ok {
			return nil
		}
		plan.branches = append(plan.branches, found)
	}
	if plan.whole, err = syntax.Compile(parsed.Simplify()); err != nil {
		panic(err)
	}
	if len(plan.whole.Inst) > math.MaxUint16 {
		return nil
	}
	plan.anchored = [2]func() *regexp.Regexp{
		sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\A(?:` + expr + `)`) }),
		sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\A(?s:.)(?:` + expr + `)`) }),
	}
	return plan
}

// flatten gives the parts of an expression that follow each other, without the groups around them.
func flatten(re *syntax.Regexp) []*syntax.Regexp {
	switch re.Op {
	case syntax.OpCapture:
		return flatten(re.Sub[0])
	case syntax.OpConcat:
		var parts []*syntax.Regexp
		for _, sub := range re.Sub {
			parts = append(parts, flatten(sub)...)
		}
		return parts
	default:
		return []*syntax.Regexp{re}
	}
}

// expand makes one list of parts of each alternative where the parts have no good anchor else.
func expand(parts []*syntax.Regexp) [][]*syntax.Regexp {
	if found, ok := cut(parts); ok && found.anchor.isGood() {
		return [][]*syntax.Regexp{parts}
	}
	at := slices.IndexFunc(parts, func(part *syntax.Regexp) bool { return part.Op == syntax.OpAlternate })
	if at < 0 {
		return [][]*syntax.Regexp{parts}
	}
	var all [][]*syntax.Regexp
	for _, sub := range parts[at].Sub {
		all = append(all, expand(slices.Concat(parts[:at], flatten(sub), parts[at+1:]))...)
		if len(all) > maxBranches {
			return [][]*syntax.Regexp{parts}
		}
	}
	return all
}

// cut chooses the part at which the core begins.
func cut(parts []*syntax.Regexp) (branch, bool) {
	best, score, length, reach := -1, 0, 0, 0
	var chosen anchor
	for i, part := range parts {
		if found, ok := anchorOf(parts[i:]); ok && found.score() > score {
			best, score, chosen, reach = i, found.score(), found, length
		}
		more, bounded := maxBytes(part)
		if length += more; !bounded || length > maxReach {
			break
		}
	}
	if best < 0 {
		return branch{}, false
	}
	core := &syntax.Regexp{Op: syntax.OpConcat, Sub: slices.Clone(parts[best:])}
	program, err := syntax.Compile(core.Simplify())
	if err != nil || len(program.Inst) > math.MaxUint16 {
		return branch{}, false
	}
	result := branch{anchor: chosen, core: program, reach: reach}
	for _, part := range parts[:best] {
		markBytes(part, &result.before)
	}
	return result, true
}

// groups returns the indices of the groups of the match from start to end, as Go's engine finds them.
func (plan *search) groups(text string, start, end int) []int {
	from, expr := start, plan.anchored[0]
	if start > 0 {
		from, expr = start-1, plan.anchored[1]
	}
	// Some bytes behind the match are enough to decide what it looks at; only where it would go on to their end, the rest
	// is needed too.
	for _, to := range []int{min(end+2*utf8.UTFMax, len(text)), len(text)} {
		indices := expr().FindStringSubmatchIndex(text[from:to])
		if indices == nil {
			continue
		}
		indices[0] = start - from
		if indices[1]+from != end {
			continue
		}
		for i := range indices {
			if indices[i] >= 0 {
				indices[i] += from
			}
		}
		return indices
	}
	panic("regexp: the engines disagree about " + plan.expr)
}
