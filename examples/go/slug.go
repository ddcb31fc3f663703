// Package slug turns titles into parts of addresses.
package slug

import "strings"

// Make gives a title in lower case, with a dash for everything that is no letter or digit.
func Make(title string) string {
	slug := ""
	for _, word := range strings.FieldsFunc(strings.ToLower(title), separates) {
		if slug != "" {
			slug += "-"
		}
		slug += word
	}
	return slug
}

func separates(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9')
}
