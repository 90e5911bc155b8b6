package wire

import (
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"
)

const wrkText = `Running 3s test @ http://127.0.0.1:8080/users/7
  1 threads and 32 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.06ms    1.60ms  26.75ms   88.99%
    Req/Sec    57.09k     4.63k   66.50k    70.00%
  Latency Distribution
     50%  433.00us
     75%    1.20ms
     90%    2.87ms
     99%    7.53ms
  170475 requests in 3.00s, 21.62MB read
Requests/sec:  56796.86
Transfer/sec:      7.20MB
`

func TestParse(t *testing.T) {
	is := is.New(t)
	s, err := parse(wrkText)
	is.NoErr(err)
	is.Equal(s, sample{requests: 170475, rate: 56796.86, p50: 433 * time.Microsecond, p99: 7530 * time.Microsecond})
}

func TestParseRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":       "",
		"errors":        wrkText + "  Socket errors: connect 0, read 3, write 0, timeout 0\n",
		"other answers": wrkText + "  Non-2xx or 3xx responses: 12\n",
		"no latency":    strings.Replace(wrkText, "99%", "98%", 2),
		"no requests":   strings.Replace(wrkText, "170475 requests", "0 requests", 1),
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			_, err := parse(text)
			is.True(err != nil)
		})
	}
}
