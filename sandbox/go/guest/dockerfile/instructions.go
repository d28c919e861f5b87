package dockerfile

import (
	"regexp"
	"strings"
	"unicode"
)

// instruction with its arguments on one line. `ONBUILD X` is X. Lines are 1-based.
type instruction struct {
	// Upper case.
	name string
	// Arguments; continuation lines joined by a space, comments in between left out, heredoc bodies appended.
	text               string
	startLine, endLine int

	pieces []piece
}

type piece struct {
	text string
	line int
}

// lineAt gives the line of the file that holds the character of `text` at this offset, counted in runes.
func (i instruction) lineAt(offset int) int {
	for _, part := range i.pieces {
		length := len([]rune(part.text))
		if offset <= length {
			return part.line
		}
		offset -= length + 1
	}
	return i.endLine
}

// parse splits a Dockerfile as its builder does: continuations (with the `escape` directive), comments, heredocs.
func parse(source string) []instruction {
	lines := strings.Split(source, "\n")
	for index, line := range lines {
		lines[index] = strings.TrimSuffix(line, "\r")
	}
	mark := findEscape(lines)
	var instructions []instruction
	for at := 0; at < len(lines); {
		if isIgnored(lines[at]) {
			at++
			continue
		}
		pieces, next := readInstruction(lines, at, mark)
		if found, ok := toInstruction(pieces); ok {
			instructions = append(instructions, found)
		}
		at = next
	}
	return instructions
}

func isIgnored(line string) bool {
	trimmed := trim(line)
	return trimmed == "" || trimmed[0] == '#'
}

var directive = regexp.MustCompile(`^#\s*(\w+)\s*=\s*(\S+)$`)

// findEscape reads the parser directives, which stand in the first lines as comments of the form `# key=value`.
func findEscape(lines []string) string {
	for _, line := range lines {
		found := directive.FindStringSubmatch(trim(line))
		if found == nil {
			break
		}
		if strings.EqualFold(found[1], "escape") && found[2] == "`" {
			return "`"
		}
		if strings.EqualFold(found[1], "escape") {
			break
		}
	}
	return `\`
}

func readInstruction(lines []string, start int, mark string) (pieces []piece, at int) {
	at = start
	for continued := true; continued && at < len(lines); at++ {
		line := lines[at]
		if at > start && isIgnored(line) {
			continue
		}
		text := trim(line)
		text, continued = strings.CutSuffix(text, mark)
		pieces = append(pieces, piece{text: trim(text), line: at + 1})
	}
	for _, word := range heredocsOf(pieces) {
		for at < len(lines) {
			line := lines[at]
			at++
			if line == word.end || word.stripTabs && strings.TrimLeft(line, "\t") == word.end {
				break
			}
			pieces = append(pieces, piece{text: line, line: at})
		}
	}
	return pieces, at
}

type heredoc struct {
	end       string
	stripTabs bool
}

var (
	takesHeredoc = regexp.MustCompile(`(?i)^(?:ONBUILD\s+)?(?:RUN|COPY|ADD)\b`)
	heredocWord  = regexp.MustCompile(`(?:^|[^<])<<(-?)\s*(?:"(\w+)"|'(\w+)'|(\w+))`)
)

func heredocsOf(pieces []piece) []heredoc {
	text := join(pieces)
	if !takesHeredoc.MatchString(text) {
		return nil
	}
	var found []heredoc
	for _, word := range heredocWord.FindAllStringSubmatch(text, -1) {
		found = append(found, heredoc{end: word[2] + word[3] + word[4], stripTabs: word[1] == "-"})
	}
	return found
}

var head = regexp.MustCompile(`^(?:(?i:ONBUILD)\s+)*([A-Za-z]+)`)

func toInstruction(pieces []piece) (instruction, bool) {
	found := head.FindStringSubmatch(pieces[0].text)
	if found == nil {
		return instruction{}, false
	}
	pieces[0].text = trim(pieces[0].text[len(found[0]):])
	return instruction{
		name:      strings.ToUpper(found[1]),
		text:      join(pieces),
		startLine: pieces[0].line,
		endLine:   pieces[len(pieces)-1].line,
		pieces:    pieces,
	}, true
}

func join(pieces []piece) string {
	texts := make([]string, len(pieces))
	for index, part := range pieces {
		texts[index] = part.text
	}
	return strings.Join(texts, " ")
}

func trim(text string) string {
	return strings.TrimFunc(text, func(char rune) bool { return unicode.IsSpace(char) || char == '\ufeff' })
}
