package main

import (
	"cmp"
	"image"
	"image/color"
	"image/gif"
	"io"
	"maps"
	"math"
	"slices"
	"time"
)

// A film is a sequence of pictures of one size.
type film []frame

// A frame is a picture, and how long it stays.
type frame struct {
	picture *image.RGBA
	stays   time.Duration
}

// add adds a picture at the end. One that is the same as the last makes that stay longer.
func (f *film) add(picture *image.RGBA, stays time.Duration) {
	if n := len(*f); n > 0 && slices.Equal((*f)[n-1].picture.Pix, picture.Pix) {
		(*f)[n-1].stays += stays
		return
	}
	*f = append(*f, frame{picture, stays})
}

// length returns how long all frames stay.
func (f film) length() time.Duration {
	var sum time.Duration
	for _, fr := range f {
		sum += fr.stays
	}
	return sum
}

// encode writes the film as an animated GIF that begins anew at its end. A frame has only
// the rectangle that differs from the frame before, and there only the pixels that differ.
func (f film) encode(w io.Writer) error {
	p := newPalette(f)
	out := gif.GIF{Config: image.Config{ColorModel: p.colors, Width: f[0].picture.Rect.Dx(), Height: f[0].picture.Rect.Dy()}}
	var before *image.Paletted
	at, shown := time.Duration(0), 0 // when a frame begins: exactly, and in hundredths of a second
	for _, fr := range f {
		picture := p.convert(fr.picture)
		out.Image = append(out.Image, difference(before, picture))
		at += fr.stays
		ends := int(at / (10 * time.Millisecond))
		out.Delay = append(out.Delay, ends-shown)
		out.Disposal = append(out.Disposal, gif.DisposalNone)
		before, shown = picture, ends
	}
	return gif.EncodeAll(w, &out)
}

// difference returns what has to be drawn over a picture to get the next one. Pixels that stay
// as they are have the color 0, which is transparent. There is at least one pixel, since a
// frame of a GIF must have one.
func difference(before, next *image.Paletted) *image.Paletted {
	if before == nil {
		return next
	}
	var changed image.Rectangle
	for y := range next.Rect.Dy() {
		a, b := before.Pix[y*before.Stride:][:before.Stride], next.Pix[y*next.Stride:][:next.Stride]
		for x := range a {
			if a[x] != b[x] {
				changed = changed.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	if changed.Empty() {
		changed = image.Rect(0, 0, 1, 1)
	}
	out := image.NewPaletted(changed, next.Palette)
	for y := changed.Min.Y; y < changed.Max.Y; y++ {
		for x := changed.Min.X; x < changed.Max.X; x++ {
			if i := next.ColorIndexAt(x, y); i != before.ColorIndexAt(x, y) {
				out.SetColorIndex(x, y, i)
			}
		}
	}
	return out
}

// A palette has the colors of a film. Pictures of text have few colors and many shades
// between them, so the most frequent ones stand for all.
type palette struct {
	colors color.Palette
	index  map[rgb]uint8 // of the colors that were asked for
}

type rgb [3]uint8

// newPalette chooses up to 255 colors. Of those that differ only in the last two bits of
// a part, the most frequent one counts for all.
func newPalette(f film) *palette {
	counts := map[rgb]int{}
	for i, fr := range f {
		for at := 0; at < len(fr.picture.Pix); at += 4 {
			if pix := fr.picture.Pix[at:]; i == 0 || !slices.Equal(pix[:3], f[i-1].picture.Pix[at:][:3]) {
				counts[rgb{pix[0], pix[1], pix[2]}]++
			}
		}
	}
	type shade struct {
		color rgb
		most  int // the count of the color
		count int // of all that are near
	}
	shades := map[rgb]shade{}
	for c, n := range counts {
		near := rgb{c[0] >> 2, c[1] >> 2, c[2] >> 2}
		s := shades[near]
		if n > s.most || n == s.most && slices.Compare(c[:], s.color[:]) < 0 {
			s.color, s.most = c, n
		}
		s.count += n
		shades[near] = s
	}
	sorted := slices.SortedFunc(maps.Values(shades), func(a, b shade) int {
		return cmp.Or(cmp.Compare(b.count, a.count), slices.Compare(a.color[:], b.color[:]))
	})
	p := &palette{color.Palette{color.Transparent}, map[rgb]uint8{}}
	for _, s := range sorted[:min(255, len(sorted))] {
		p.index[s.color] = uint8(len(p.colors))
		p.colors = append(p.colors, color.RGBA{s.color[0], s.color[1], s.color[2], 255})
	}
	return p
}

// convert returns a picture in the colors of the palette that are nearest to its own.
func (p *palette) convert(picture *image.RGBA) *image.Paletted {
	out := image.NewPaletted(picture.Rect, p.colors)
	for i := range out.Pix {
		pix := picture.Pix[4*i:]
		c := rgb{pix[0], pix[1], pix[2]}
		index, ok := p.index[c]
		if !ok {
			index = p.nearest(c)
			p.index[c] = index
		}
		out.Pix[i] = index
	}
	return out
}

func (p *palette) nearest(c rgb) uint8 {
	best, least := 0, math.MaxInt
	for i, other := range p.colors[1:] {
		o := other.(color.RGBA)
		r, g, b := int(o.R)-int(c[0]), int(o.G)-int(c[1]), int(o.B)-int(c[2])
		if far := r*r + g*g + b*b; far < least {
			best, least = i+1, far
		}
	}
	return uint8(best)
}
