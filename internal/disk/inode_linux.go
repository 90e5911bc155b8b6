package disk

import (
	"io/fs"
	"syscall"
	"time"
)

func inodeOf(info fs.FileInfo) inode {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok { // embedded
		return inode{}
	}
	return inode{s.Ino, time.Unix(s.Ctim.Unix())}
}
