module cypherfix/sandbox/go/guest

go 1.26.3

require (
	github.com/dlclark/regexp2 v1.11.5
	golang.org/x/sys v0.50.0
)
