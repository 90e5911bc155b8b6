module docs

require (
	github.com/alecthomas/chroma/v2 v2.27.0
	github.com/yuin/goldmark v1.8.7
	go.yaml.in/yaml/v4 v4.0.0
)

require github.com/dlclark/regexp2/v2 v2.2.1 // indirect
