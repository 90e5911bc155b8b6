package ondisk

import "example.com/flow/internal/routetree"

// Tree returns the tree as its files are on disk now, of which of is in the binary.
func (s *Source) Tree(of *routetree.Tree) *routetree.Tree {
	return routetree.ReadIn(of.Dir, s.files, of.Shared).Below(of.Prefix)
}
