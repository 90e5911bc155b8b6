package routetree

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/flow/internal/fold"
)

// seenNames are the names of files that were checked, by their folded form: see fold.Case. A
// tree on disk that passes the check is the same in the binary.
type seenNames map[string]string

// check returns an error for a file that go:embed would refuse or leave out, and for one whose
// name differs from an earlier one only in case.
func (seen *seenNames) check(file string) error {
	if *seen == nil {
		*seen = seenNames{}
	}
	if err := checkName(path.Base(file)); err != nil {
		return err
	}
	folded := fold.Case(file)
	if other, ok := (*seen)[folded]; ok {
		return fmt.Errorf("%s differs only in case: not every disk can hold both, rename one of them", other)
	}
	(*seen)[folded] = file
	return nil
}

// leftovers are the ends of the names that editors give to files beside the one that they save: backups
// and swap files. Those that begin with a dot are hidden anyway.
var leftovers = []string{"~", ".swp", "___jb_tmp___", "___jb_old___"}

// IsLeftover reports whether a file is one of an editor and not of the application. A tree does not
// have it, nor a fault for it, since some editors make one for a moment at each save.
func IsLeftover(name string) bool {
	return name == "4913" || // by which Vim finds out whether it can write
		len(name) > 1 && name[0] == '#' && name[len(name)-1] == '#' || // of Emacs
		slices.ContainsFunc(leftovers, func(end string) bool { return strings.HasSuffix(name, end) })
}

// windowsDevices are names that Windows reserves for devices, with any extension.
var windowsDevices = []string{"CON", "PRN", "AUX", "NUL",
	"COM1", "COM2", "COM3", "COM4", "COM5", "COM6", "COM7", "COM8", "COM9",
	"LPT1", "LPT2", "LPT3", "LPT4", "LPT5", "LPT6", "LPT7", "LPT8", "LPT9"}

// IsDevice reports whether Windows reserves the name of a file for a device.
func IsDevice(name string) bool {
	stem, _, _ := strings.Cut(name, ".")
	return slices.ContainsFunc(windowsDevices, func(d string) bool { return strings.EqualFold(d, stem) })
}

// checkName returns an error for a name that go:embed refuses or leaves out. It refuses the
// names that a module must not have (CheckFilePath of golang.org/x/mod/module). It leaves out
// a directory with a go.mod, which is another module.
func checkName(name string) error {
	const punctuation = "!#$%&()+,-.=@[]^_{}~ "
	for i, c := range name {
		switch {
		case c == utf8.RuneError && !utf8.ValidString(name[i:]):
			return fmt.Errorf("%q is not UTF-8: rename it, go:embed refuses it", name)
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case c < utf8.RuneSelf && strings.ContainsRune(punctuation, c):
		case c >= utf8.RuneSelf && unicode.IsLetter(c):
		case c == '…':
			return fmt.Errorf("the name holds %q: write a catch-all with three dots, as in [...rest]", c)
		case unicode.Is(unicode.Mn, c) && endsInLetter(name[:i]):
			return decomposedFault(name[:i], c)
		default:
			return fmt.Errorf("the name holds %q, which go:embed refuses: rename it", c)
		}
	}
	if strings.HasSuffix(name, ".") {
		return errors.New("the name ends in a dot, which go:embed refuses: rename it")
	}
	if IsDevice(name) {
		stem, _, _ := strings.Cut(name, ".")
		return fmt.Errorf("%q is a device on Windows, so go:embed refuses it: rename it", stem)
	}
	if strings.EqualFold(name, "go.mod") { // some disks find it under any case
		return errors.New("a go.mod makes its directory another module, which go:embed leaves out: rename it")
	}
	return nil
}

func endsInLetter(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	return unicode.IsLetter(last)
}

// decomposedFault returns the error for a combining mark after a letter. It does not know whether
// there is a composed letter for both. They are escaped, since they look like that letter.
func decomposedFault(before string, mark rune) error {
	letter, _ := utf8.DecodeLastRuneInString(before)
	return fmt.Errorf("the name holds %+q, a letter and a combining mark, which go:embed refuses. If the name is in decomposed form (NFD), as macOS and archives write names, rename it to the composed form (NFC): type the name again. On macOS, \"git config core.precomposeunicode true\" makes git keep the composed form", string([]rune{letter, mark}))
}
