package ecosystem_test

import (
	"net/http"
	"testing"
	"testing/fstest"

	"github.com/matryer/is"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"example.com/flow"
)

func newTracedApp() *flow.Router {
	r := flow.New(fstest.MapFS{"router/users/[id].http": {}, "router/boom.http": {}})
	r.Logger = quiet
	r.At("users/[id]").GET().Do(func(req *flow.Request) string {
		span := trace.SpanFromContext(req.Context())
		span.SetAttributes(attribute.String("user.id", req.Param("id")))
		_, query := span.TracerProvider().Tracer("app").Start(req.Context(), "query")
		query.End()
		return show(req)
	})
	r.At("users/[id]").PUT().Do(func(req *flow.Request) string { return "name " + req.Input("name") })
	r.At("boom").GET().Do(func(*flow.Request) string { panic("boom") })
	return r
}

// traced are the two ways to trace a Router: from outside, and as its middleware,
// where otelhttp knows the route from the start.
var traced = map[string]func(r *flow.Router, opts ...otelhttp.Option) http.Handler{
	"NewHandler": func(r *flow.Router, opts ...otelhttp.Option) http.Handler {
		return otelhttp.NewHandler(r, "app", opts...)
	},
	"NewMiddleware": func(r *flow.Router, opts ...otelhttp.Option) http.Handler {
		r.Use(otelhttp.NewMiddleware("app", opts...))
		return r
	},
}

// record serves a traced application, and returns what its spans are recorded in.
func record(t *testing.T, way string) (*visitor, *tracetest.SpanRecorder) {
	t.Helper()
	recorder := tracetest.NewSpanRecorder()
	h := traced[way](newTracedApp(),
		otelhttp.WithTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder))),
		otelhttp.WithPropagators(propagation.TraceContext{}))
	return visit(t, h), recorder
}

func TestSpansAreNamedAfterRoutes(t *testing.T) {
	for way := range traced {
		for _, tt := range []struct {
			method, path string
			name, route  string
			status       int64
			code         codes.Code
		}{
			{"GET", "/users/42", "GET /users/{id}", "/users/{id}", 200, codes.Unset},
			{"HEAD", "/users/42", "HEAD /users/{id}", "/users/{id}", 200, codes.Unset},
			{"GET", "/boom", "GET /boom", "/boom", 500, codes.Error},
			// What no route answers has one name, whatever its path.
			{"GET", "/users/42/nothing", "GET", "", 404, codes.Unset},
			{"DELETE", "/users/42", "DELETE", "", 405, codes.Unset},
			{"GET", "/users/42/", "GET", "", 308, codes.Unset},
		} {
			t.Run(way+"/"+tt.method+" "+tt.path, func(t *testing.T) {
				is := is.New(t)
				v, recorder := record(t, way)
				is.Equal(int64(v.ask(t, tt.method, tt.path).StatusCode), tt.status)
				span := serverSpan(t, recorder)
				is.Equal(span.Name(), tt.name)
				is.Equal(span.Status().Code, tt.code)
				if way == "NewHandler" {
					tt.route = "" // otelhttp asks before the Router knows
				}
				is.Equal(attributeOf(span, "http.route").AsString(), tt.route)
				is.Equal(attributeOf(span, "http.response.status_code").AsInt64(), tt.status)
			})
		}
	}
}

func TestHandlersFindTheirSpan(t *testing.T) {
	for way := range traced {
		t.Run(way, func(t *testing.T) {
			is := is.New(t)
			v, recorder := record(t, way)
			const remote = "0af7651916cd43dd8448eb211c80319c"
			is.Equal(v.ask(t, "GET", "/users/42", "Traceparent", "00-"+remote+"-b7ad6b7169203331-01").text, "user 42")
			span := serverSpan(t, recorder)
			is.Equal(span.SpanContext().TraceID().String(), remote) // the client's trace goes on
			is.Equal(attributeOf(span, "user.id").AsString(), "42")
			query := recorder.Ended()[0]
			is.Equal(query.Name(), "query")
			is.Equal(query.Parent().SpanID(), span.SpanContext().SpanID())
		})
	}
}

func TestSpansKnowTheSizeOfABody(t *testing.T) {
	for way := range traced {
		t.Run(way, func(t *testing.T) {
			is := is.New(t)
			v, recorder := record(t, way)
			const form = "name=Ann"
			is.Equal(v.send(t, "PUT", "/users/42", form, "Content-Type", "application/x-www-form-urlencoded").text, "name Ann")
			is.Equal(attributeOf(serverSpan(t, recorder), "http.request.body.size").AsInt64(), int64(len(form)))
		})
	}
}

// serverSpan returns the one span of the server. It has ended when the client has
// the whole of a short answer, which the server sends last.
func serverSpan(t *testing.T, recorder *tracetest.SpanRecorder) sdktrace.ReadOnlySpan {
	t.Helper()
	var spans []sdktrace.ReadOnlySpan
	for _, span := range recorder.Ended() {
		if span.SpanKind() == trace.SpanKindServer {
			spans = append(spans, span)
		}
	}
	if len(spans) != 1 {
		t.Fatalf("got %d spans of the server, want 1", len(spans))
	}
	return spans[0]
}

func attributeOf(span sdktrace.ReadOnlySpan, key attribute.Key) attribute.Value {
	for _, a := range span.Attributes() {
		if a.Key == key {
			return a.Value
		}
	}
	return attribute.Value{}
}
