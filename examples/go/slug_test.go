package slug

import (
	"strings"
	"testing"
)

func BenchmarkMake(b *testing.B) {
	titles := map[string]string{
		"short": "Hello, World!",
		"long":  strings.Repeat("All the words of a long title ", 20),
	}
	for _, name := range []string{"short", "long"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(titles[name])))
			for i := 0; i < b.N; i++ {
				Make(titles[name])
			}
		})
	}
}
