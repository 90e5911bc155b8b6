package main

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"os"
	"testing"
	"time"

	"github.com/matryer/is"
)

// TestRecording holds docs/dev-loop.gif to what README needs: GitHub shows it, and it is
// neither large nor long.
func TestRecording(t *testing.T) {
	is := is.New(t)
	text, err := os.ReadFile("../../docs/dev-loop.gif")
	is.NoErr(err)
	is.True(len(text) < 1_500_000)
	g, err := gif.DecodeAll(bytes.NewReader(text))
	is.NoErr(err)
	is.Equal(g.LoopCount, 0) // it begins anew for ever
	length := 0
	for _, hundredths := range g.Delay {
		length += hundredths
	}
	is.True(length > 1000 && length < 4000)
}

// plain returns a picture of one color, and with a second color inside a rectangle.
func plain(c color.RGBA, inside color.RGBA, where image.Rectangle) *image.RGBA {
	p := image.NewRGBA(image.Rect(0, 0, 40, 30))
	draw.Draw(p, p.Rect, image.NewUniform(c), image.Point{}, draw.Src)
	draw.Draw(p, where, image.NewUniform(inside), image.Point{}, draw.Src)
	return p
}

// TestFilm draws the frames of a film over each other, as a browser does.
func TestFilm(t *testing.T) {
	is := is.New(t)
	red, green, blue := color.RGBA{200, 0, 0, 255}, color.RGBA{0, 200, 0, 255}, color.RGBA{0, 0, 200, 255}
	pictures := []*image.RGBA{
		plain(red, red, image.Rectangle{}),
		plain(red, green, image.Rect(5, 5, 9, 8)),
		plain(red, blue, image.Rect(20, 20, 25, 28)), // and what was green is red again
		plain(blue, red, image.Rect(39, 29, 40, 30)),
	}
	var f film
	for _, p := range pictures {
		f.add(p, 14*time.Millisecond)
	}
	f.add(pictures[3], time.Second)
	is.Equal(len(f), 4) // the last picture was there already
	var out bytes.Buffer
	is.NoErr(f.encode(&out))
	g, err := gif.DecodeAll(&out)
	is.NoErr(err)
	is.Equal(g.Delay, []int{1, 1, 2, 101}) // 1056 milliseconds, of which no part is lost
	is.Equal(g.Image[1].Rect, image.Rect(5, 5, 9, 8))
	is.Equal(g.Image[2].Rect, image.Rect(5, 5, 25, 28))
	screen := image.NewRGBA(pictures[0].Rect)
	for i, p := range g.Image {
		draw.Draw(screen, p.Rect, p, p.Rect.Min, draw.Over)
		is.Equal(screen.Pix, pictures[i].Pix)
	}
}

// TestFilmWithManyColors has more of them than a GIF.
func TestFilmWithManyColors(t *testing.T) {
	is := is.New(t)
	p := image.NewRGBA(image.Rect(0, 0, 64, 64))
	for y := range 64 {
		for x := range 64 {
			p.SetRGBA(x, y, color.RGBA{uint8(4 * x), uint8(4 * y), 128, 255})
		}
	}
	draw.Draw(p, image.Rect(0, 0, 64, 8), image.NewUniform(color.RGBA{255, 255, 255, 255}), image.Point{}, draw.Src)
	f := film{{p, time.Second}}
	var out bytes.Buffer
	is.NoErr(f.encode(&out))
	g, err := gif.DecodeAll(&out)
	is.NoErr(err)
	is.Equal(len(g.Image[0].Palette), 256)
	is.Equal(color.RGBAModel.Convert(g.Image[0].At(3, 3)), color.RGBA{255, 255, 255, 255}) // what is frequent stays as it is
	_, _, _, alpha := g.Image[0].At(40, 40).RGBA()
	is.Equal(alpha, uint32(0xffff)) // what is rare gets a color of its neighbors
}
