package scaffold

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/flow/internal/shell"
)

// globbed says that the shell has put the name of a file in the place of a path with
// brackets, or is "". A shell reads [id] as one of the characters i and d, and where it
// finds files of such names, it passes those on.
func globbed(dir string, args []string) string {
	for _, arg := range args {
		names := strings.Split(filepath.ToSlash(arg), "/")
		single := slices.IndexFunc(names, func(name string) bool { return utf8.RuneCountInString(name) == 1 && name != "." })
		if _, err := os.Lstat(absolute(dir, arg)); err != nil || single < 0 {
			continue
		}
		names[single] = "[id]"
		return fmt.Sprintf("%s is the name of a file here, which a shell puts in the place of %s without quotes: write flow add %[2]s, or %[1]s.html if that is meant",
			arg, shell.Quote(strings.Join(names, "/")))
	}
	return ""
}
