package markup

// Page reads a page as a browser does. Its tags have one way each. A tag that does not end is left
// out.
func Page(html string) (nodes []Node) {
	l, s, start := lexer{page: true, table: Rules}, state{}, Place{Source: &Source{}}
	for at := 0; at < len(html); {
		var n Node
		if n, at = l.next(&s, html, at, start); n != nil {
			nodes = append(nodes, n)
		}
	}
	return nodes
}
