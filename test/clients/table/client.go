// What Go's standard library sees of a world: see client.sh.
package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

func say(check string, saw bool) {
	word := "no"
	if saw {
		word = "yes"
	}
	fmt.Printf("go\t%s\t%s\n", check, word)
}

func ask(client *http.Client, method, url string, body io.Reader) string {
	request, _ := http.NewRequest(method, url, body)
	request.Header.Set("Authorization", "Bearer sk_test_x")
	request.Header.Set("Content-Type", "application/octet-stream")
	answer, err := client.Do(request)
	if err != nil {
		return err.Error()
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	return string(text)
}

func main() {
	usual := &http.Client{Timeout: 20 * time.Second}
	get := func(url string) string { return ask(usual, "GET", url, nil) }
	granted := os.Getenv("GRANTED")
	say("twin", strings.Contains(get(os.Getenv("TWIN")), "/v1/customers"))
	say("refusal", strings.Contains(get(os.Getenv("REFUSED")), "not-granted"))
	say("grant", strings.Contains(get(granted+"/hello"), "granted hello"))
	big, _ := os.ReadFile(os.Getenv("BIG"))
	say("up", strings.Contains(ask(usual, "POST", granted+"/up", bytes.NewReader(big)), "took 52428800"))
	say("events", strings.Contains(get(granted+"/events"), "event 3"))
	say("trust", strings.Contains(get(os.Getenv("UNTRUSTED")+"/"), "certificate"))
	say("loopback", strings.Contains(get(os.Getenv("LOOPBACK")+"/"), "outside"))
	own := &http.Client{Timeout: 3 * time.Second, Transport: &http.Transport{}}
	ask(own, "GET", "http://go"+os.Getenv("SLIP")+"/", nil)
}
