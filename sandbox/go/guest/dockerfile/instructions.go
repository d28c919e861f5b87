package dockerfile

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// instruction with its arguments on one line. `ONBUILD X` is X. Lines are 1-based.
type instruction struct {
	// Upper case.
	name string
	// Arguments: continued lines joined, by one space where there is white space between them, comments in between left
	// out, heredoc bodies appended.
	text               string
	startLine, endLine int

	pieces []piece
}

type piece struct {
	// What stands between this and the piece before: a space or nothing.
	gap  string
	text string
	line int
}

// lineAt gives the line of the file that holds the character of `text` at this offset, counted in runes.
func (i instruction) lineAt(offset int) int {
	for _, part := range i.pieces {
		offset -= utf8.RuneCountInString(part.gap) + utf8.RuneCountInString(part.text)
		if offset < 0 {
			return part.line
		}
	}
	return i.endLine
}

// parse splits a Dockerfile as BuildKit does (frontend/dockerfile/parser, v0.16): directives, continuations, comments,
// heredocs. What BuildKit refuses as a whole is read as far as it goes.
func parse(source string) []instruction {
	lines := strings.Split(strings.TrimPrefix(source, "\ufeff"), "\n")
	for index, line := range lines {
		lines[index] = strings.TrimRight(line, "\r")
	}
	mark := findEscape(lines)
	var instructions []instruction
	for at := 0; at < len(lines); {
		if isIgnored(lines[at]) {
			at++
			continue
		}
		pieces, next := readInstruction(lines, at, mark)
		if found, ok := toInstruction(pieces, at+1); ok {
			if heredocs := heredocsOf(found); len(heredocs) > 0 {
				found, next = withHeredocs(found, heredocs, lines, next)
			}
			instructions = append(instructions, found)
		}
		at = next
	}
	return instructions
}

func isIgnored(line string) bool {
	trimmed := trimLeft(line)
	return trimmed == "" || trimmed[0] == '#'
}

var directive = regexp.MustCompile(`^#\s*([a-zA-Z][a-zA-Z0-9]*)\s*=\s*(.+?)\s*$`)

// findEscape reads the parser directives; the first line that is none of those known ends them.
func findEscape(lines []string) string {
	for _, line := range lines {
		found := directive.FindStringSubmatch(trimLeft(line))
		if found == nil {
			break
		}
		name := strings.ToLower(found[1])
		if name == "escape" && found[2] == "`" {
			return "`"
		}
		if name != "syntax" && name != "check" {
			break
		}
	}
	return `\`
}

// readInstruction gives the pieces of the line that begins at start, and the line after them.
func readInstruction(lines []string, start int, mark string) (pieces []piece, at int) {
	gap := ""
	at = start
	for continued := true; continued && at < len(lines); at++ {
		line := lines[at]
		if at > start && isIgnored(line) {
			continue
		}
		line, continued = cutContinuation(line, mark)
		text := trim(line)
		if len(trimLeft(line)) < len(line) && len(pieces) > 0 {
			gap = " "
		}
		if text == "" {
			continue
		}
		pieces = append(pieces, piece{gap: gap, text: text, line: at + 1})
		gap = ""
		if !strings.HasSuffix(line, text) {
			gap = " "
		}
	}
	return pieces, at
}

// cutContinuation takes the mark off a line that goes on; one before it means that it is meant as a character.
func cutContinuation(line, mark string) (string, bool) {
	rest, continued := strings.CutSuffix(strings.TrimRight(line, " \t"), mark)
	if !continued || strings.HasSuffix(rest, mark) {
		return line, false
	}
	return rest, true
}

var head = regexp.MustCompile(`^(?:(?i:ONBUILD)\s+)*([A-Za-z]+)(?:[\t\v\f\r ]|$)`)

func toInstruction(pieces []piece, startLine int) (instruction, bool) {
	text := join(pieces)
	found := head.FindStringSubmatch(text)
	if found == nil {
		return instruction{}, false
	}
	endLine := pieces[len(pieces)-1].line
	rest := cutFront(pieces, len(text)-len(trimLeft(text[len(found[0]):])))
	return instruction{
		name:      strings.ToUpper(found[1]),
		text:      join(rest),
		startLine: startLine,
		endLine:   endLine,
		pieces:    rest,
	}, true
}

// cutFront leaves out so many bytes of the joined text.
func cutFront(pieces []piece, bytes int) []piece {
	for index, part := range pieces {
		whole := part.gap + part.text
		if bytes < len(whole) {
			rest := slices.Clone(pieces[index:])
			rest[0] = piece{text: whole[bytes:], line: part.line}
			return rest
		}
		bytes -= len(whole)
	}
	return nil
}

type heredoc struct {
	end       string
	stripTabs bool
}

var heredocWord = regexp.MustCompile(`^\d*<<(-?)([^<]+)$`)

// heredocsOf gives the words of an instruction that announce bodies on the lines after it.
func heredocsOf(i instruction) []heredoc {
	if !slices.Contains([]string{"RUN", "COPY", "ADD"}, i.name) || !strings.Contains(i.text, "<<") || isList(i.text) {
		return nil
	}
	var found []heredoc
	for _, word := range toWords(i.text) {
		match := heredocWord.FindStringSubmatch(word)
		if match == nil {
			continue
		}
		if end := unquote(match[2]); end != "" {
			found = append(found, heredoc{end: end, stripTabs: match[1] == "-"})
		}
	}
	return found
}

var flags = regexp.MustCompile(`^(?:--\S+\s+)*`)

// isList tells whether the arguments after the flags are a list in JSON, in which nothing is the shell's.
func isList(text string) bool {
	var list []string
	return json.Unmarshal([]byte(text[len(flags.FindString(text)):]), &list) == nil
}

// withHeredocs appends the bodies, and gives the line after them. Without their ends BuildKit builds nothing; here the lines
// are then read as instructions.
func withHeredocs(i instruction, heredocs []heredoc, lines []string, at int) (instruction, int) {
	pieces := slices.Clone(i.pieces)
	next := at
	for _, word := range heredocs {
		end := slices.IndexFunc(lines[next:], word.isEnd)
		if end < 0 {
			return i, at
		}
		for index, line := range lines[next : next+end] {
			pieces = append(pieces, piece{gap: " ", text: line, line: next + index + 1})
		}
		next += end + 1
	}
	i.pieces, i.text, i.endLine = pieces, join(pieces), pieces[len(pieces)-1].line
	return i, next
}

func (h heredoc) isEnd(line string) bool {
	if h.stripTabs {
		line = strings.TrimLeft(line, "\t")
	}
	return line == h.end
}

// toWords splits as a shell does, and leaves quotes and backslashes where they are.
func toWords(text string) []string {
	var words []string
	var word strings.Builder
	var quote rune
	escaped := false
	for _, char := range text {
		switch {
		case escaped:
			escaped = false
		case char == '\\' && quote != '\'':
			escaped = true
		case quote != 0:
			if char == quote {
				quote = 0
			}
		case char == '"' || char == '\'':
			quote = char
		case unicode.IsSpace(char):
			if word.Len() > 0 {
				words = append(words, word.String())
				word.Reset()
			}
			continue
		}
		word.WriteRune(char)
	}
	if word.Len() > 0 {
		words = append(words, word.String())
	}
	return words
}

// unquote takes the quotes and backslashes off a word.
func unquote(word string) string {
	var plain strings.Builder
	var quote rune
	escaped := false
	for _, char := range word {
		switch {
		case escaped:
			escaped = false
		case char == '\\' && quote != '\'':
			escaped = true
			continue
		case quote == 0 && (char == '"' || char == '\''):
			quote = char
			continue
		case char == quote:
			quote = 0
			continue
		}
		plain.WriteRune(char)
	}
	return plain.String()
}

func join(pieces []piece) string {
	var text strings.Builder
	for _, part := range pieces {
		text.WriteString(part.gap + part.text)
	}
	return text.String()
}

func trim(text string) string { return strings.TrimRightFunc(trimLeft(text), unicode.IsSpace) }

func trimLeft(text string) string { return strings.TrimLeftFunc(text, unicode.IsSpace) }
