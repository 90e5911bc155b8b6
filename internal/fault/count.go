package fault

import "fmt"

// Count returns a number with its noun, for messages: "1 fault", "2 faults".
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprint(n, " ", noun)
}
