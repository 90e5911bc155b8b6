package markup

// Page reads a page as a browser does, with the attributes of a table. Its tags have one way each. A
// tag that does not end is left out.
func Page(html string, table *Table) (nodes []Node) {
	l, s, start := lexer{finished: true, table: table}, state{}, Place{Source: &Source{}}
	for at := 0; at < len(html); {
		var n Node
		if n, at = l.next(&s, html, at, start); n != nil {
			nodes = append(nodes, n)
		}
	}
	return nodes
}
