package disk

import (
	"io/fs"
	"syscall"
	"time"
)

// inodeOf returns the inode of a file.
func inodeOf(info fs.FileInfo) inode {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok { // the file is not on disk
		return inode{}
	}
	return inode{s.Ino, time.Unix(s.Ctimespec.Unix())}
}
