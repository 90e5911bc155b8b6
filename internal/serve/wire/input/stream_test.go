package input

import (
	"fmt"
	"io"
	"math"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// TestStreamSendsTheBodyAsItComes: who reads on his own gets a body as it comes, or what is loaded of it.
func TestStreamSendsTheBodyAsItComes(t *testing.T) {
	whole := strings.Repeat("x", 1000)
	for _, tt := range []struct {
		name        string
		keep, begun bool
		want        int // bytes that the client has to send for the first three
	}{
		{"nobody else may want it", false, false, 3},
		{"somebody may", true, false, 3},
		{"somebody has read of it", true, true, 1000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			client := strings.NewReader(whole)
			r := httptest.NewRequest("POST", "/", client)
			r.Header.Set("Content-Type", jsonMedia)
			b := New(nil, r, 2000, tt.keep, false)
			if tt.begun {
				r.Body.Read(nil)
			}
			b.Stream()
			is.Equal(b.AwaitsTrailers(), !tt.begun)
			_, err := io.ReadFull(r.Body, make([]byte, 3))
			is.NoErr(err)
			is.Equal(len(whole)-client.Len(), tt.want)
			is.Equal(text(r), whole[3:])
			is.True(!b.AwaitsTrailers())
		})
	}
}

// TestAnnouncedLength: a client's word is no reason to reserve memory, nor to panic.
func TestAnnouncedLength(t *testing.T) {
	for _, length := range []int64{-1, 0, 1, 1 << 16, 1 << 40, math.MaxInt64} {
		t.Run(fmt.Sprint(length), func(t *testing.T) {
			is := is.New(t)
			r := sending("POST", "/", formType, "a=1")
			r.ContentLength = length
			b := New(nil, r, 1000, true, false)
			is.Equal(r.FormValue("a"), "1")
			is.True(cap(b.stream.text) <= 64<<10)
			is.Equal(b.Load(r, false) != nil, length > 1000)
		})
	}
}

// panics is a body that panics when it is read.
type panics struct{}

func (panics) Read([]byte) (int, error) { panic("x") }

// TestBodyThatPanics: what could not be read is no empty body, whoever recovers.
func TestBodyThatPanics(t *testing.T) {
	for _, media := range []string{jsonMedia, formType} {
		is := is.New(t)
		r := httptest.NewRequest("POST", "/", panics{})
		r.Header.Set("Content-Type", media)
		b := New(nil, r, 1000, true, false)
		recovered := func(f func()) (v any) {
			defer func() { v = recover() }()
			f()
			return nil
		}
		is.Equal(recovered(func() { r.FormValue("a"); r.Body.Read(make([]byte, 1)) }), "x")
		is.True(b.Load(r, false) != nil)

		r.Body = io.NopCloser(panics{})
		b = New(nil, r, 1000, true, false)
		is.Equal(recovered(func() { b.Load(r, false) }), "x")
		is.True(b.Load(r, false) != nil)
	}
}
