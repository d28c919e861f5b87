package preview

import (
	"io"
	"net/http"
	"net/url"
)

const maxBytes = 1 << 20

var allowedHosts = map[string]bool{"images.example.com": true, "static.example.com": true}

func isAllowed(raw string) bool {
	parsed, err := url.Parse(raw)
	return err == nil && parsed.Scheme == "https" && allowedHosts[parsed.Hostname()]
}

func fetch(address string) ([]byte, error) {
	response, err := http.Get(address)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return io.ReadAll(io.LimitReader(response.Body, maxBytes))
}
