package rules

import (
	"math/rand/v2"
	"strings"
	"unicode/utf8"
)

// longest is how many letters the longest text has that Validate is asked about.
const longest = 1 << 14

// alphabets are what texts consist of that a Validate may treat in different ways: it may count bytes or
// letters, and leave some out. The first two are plain letters.
var alphabets = []string{"k", "w", "é", "😀", "7", "Q", " ", "\n", "-", ".", "\u00a0", "\u0301", "a ", "a-", "ab\n", "aé", "A1", "<", "/"}

// textSorts makes the sorts of texts. All texts of a sort are parts of one, so that a question makes none.
func textSorts() (sorts []sort) {
	var all []string
	for _, letters := range alphabets {
		all = append(all, strings.Repeat(letters, longest/utf8.RuneCountInString(letters)+1))
	}
	for _, around := range []string{" ", "0", "-", "@"} {
		all = append(all, "kw"+strings.Repeat(around, longest))
	}
	for seed := range uint64(3) {
		all = append(all, randomText(seed))
	}
	for _, text := range all {
		sorts = append(sorts, beginnings(text))
	}
	for _, before := range []string{" ", "\n", "0"} {
		text := strings.Repeat(before, longest) + "kw"
		sorts = append(sorts, func(n int64) setter { return setText(text[len(text)-int(n):]) })
	}
	return sorts
}

// beginnings makes texts of a number of letters out of a longer one.
func beginnings(all string) sort {
	var ends []int // in bytes, by the number of letters
	for i := range all {
		if ends = append(ends, i); len(ends) > longest {
			break
		}
	}
	return func(n int64) setter { return setText(all[:ends[n]]) }
}

// randomText makes a text of spaces, marks and letters.
func randomText(seed uint64) string {
	random, from := rand.New(rand.NewPCG(seed, 7)), []rune("kwaz AZ09é😀-_.,:;/@#+()'\"\n\t\u00a0")
	text := make([]rune, longest+1)
	for i := range text {
		text[i] = from[random.IntN(len(from))]
	}
	return string(text)
}
