package flowtest

import (
	"flag"
	"regexp"
	"strings"
)

// update is the flag -update of the tests that hold texts in files.
var update = flag.Bool("update", false, "write what the tests see into their files in testdata")

// Update reports whether the tests are to write what they see into their files, rather
// than to compare it.
func Update() bool { return *update }

// An Archive is a text file in the txtar format: a comment, then for each of its files a
// line "-- NAME --" and the text.
type Archive struct {
	Comment string
	Files   []ArchiveFile
}

// An ArchiveFile is one file of an Archive. Its text ends in a newline if it is not empty.
type ArchiveFile struct{ Name, Text string }

// marker is the line before each file of an archive.
var marker = regexp.MustCompile(`(?m)^-- (.+) --\n`)

// ParseArchive reads an archive. Lines may end as git writes them on Windows.
func ParseArchive(text string) Archive {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	markers := marker.FindAllStringSubmatchIndex(text, -1)
	if len(markers) == 0 {
		return Archive{Comment: text}
	}
	a := Archive{Comment: text[:markers[0][0]]}
	for i, m := range markers {
		end := len(text)
		if i+1 < len(markers) {
			end = markers[i+1][0]
		}
		a.Files = append(a.Files, ArchiveFile{Name: text[m[2]:m[3]], Text: text[m[1]:end]})
	}
	return a
}

// String returns the text of the archive.
func (a Archive) String() string {
	var b strings.Builder
	b.WriteString(a.Comment)
	for _, f := range a.Files {
		b.WriteString("-- " + f.Name + " --\n" + f.Text)
	}
	return b.String()
}
