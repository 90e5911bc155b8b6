package templates

// Rendered returns a view as a string.
var Rendered = render

// SharedLayout returns the layouts that a view shares with others, or nil.
func (m *Made) SharedLayout() any {
	if m.sharedLayout == nil {
		return nil
	}
	return m.sharedLayout
}
