package language

import (
	"strings"
	"text/template/parse"
)

// Ideal returns the value of a constant where nothing asks for a type (idealConstant in
// text/template). It returns nil for a number that is too large for an int, and for what is no
// constant.
func Ideal(n parse.Node) any {
	switch n := n.(type) {
	case *parse.BoolNode:
		return n.True
	case *parse.StringNode:
		return n.Text
	case *parse.NumberNode:
		switch {
		case n.IsComplex:
			return n.Complex128
		case n.IsFloat && isWrittenAsFloat(n.Text):
			return n.Float64
		case n.IsInt && int64(int(n.Int64)) == n.Int64:
			return int(n.Int64)
		}
	}
	return nil
}

// isWrittenAsFloat reports whether a number has a point or an exponent.
func isWrittenAsFloat(text string) bool {
	isHex := len(text) > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') && !strings.ContainsAny(text, "pP")
	return !isHex && text[0] != '\'' && strings.ContainsAny(text, ".eEpP")
}

// Kinds is a set of kinds, with a bit for each.
type Kinds uint8

// Has reports whether a kind is in the set.
func (k Kinds) Has(kind BasicKind) bool { return k>>kind&1 != 0 }

// KindsOf returns the kinds of parameters that a constant can be given for: a number those that
// can hold it, nil NotBasic. The set is empty for a node that is no constant.
func KindsOf(n parse.Node) (k Kinds) {
	add := func(kind BasicKind, is bool) {
		if is {
			k |= 1 << kind
		}
	}
	switch n := n.(type) {
	case *parse.NilNode:
		add(NotBasic, true)
	case *parse.BoolNode:
		add(Bool, true)
	case *parse.StringNode:
		add(String, true)
	case *parse.NumberNode:
		add(Int, n.IsInt)
		add(Uint, n.IsUint)
		add(Float, n.IsFloat)
		add(Complex, n.IsComplex)
	}
	return k
}
