package flowtest

import (
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestParseArchive(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       Archive
	}{
		{"nothing", "", Archive{}},
		{"comment", "a\n\nb\n", Archive{Comment: "a\n\nb\n"}},
		{"files", "c\n-- a.go --\npackage a\n\n-- d/e --\n-- want --\n1\n", Archive{"c\n", []ArchiveFile{
			{"a.go", "package a\n\n"}, {"d/e", ""}, {"want", "1\n"},
		}}},
		{"no marker", "--a--\n-- \n --  a --\n", Archive{Comment: "--a--\n-- \n --  a --\n"}},
		{"spaces in names", "-- want a b --\n2\n", Archive{Files: []ArchiveFile{{"want a b", "2\n"}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			got := ParseArchive(tt.text)
			is.Equal(got, tt.want)
			is.Equal(got.String(), tt.text)
			is.Equal(ParseArchive(strings.ReplaceAll(tt.text, "\n", "\r\n")), got)
		})
	}
}
