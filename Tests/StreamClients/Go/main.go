// Follows or reports with the Go client of the protocol's repository, as a program would.
//
//	streamclient follow URL long-poll|sse   prints what comes, until it is ended
//	streamclient report URL COUNT           reports a run of so many steps
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	durablestreams "github.com/durable-streams/durable-streams/packages/client-go"
)

// A pause after a failure, so that a server that is down is not asked without end.
const pause = 50 * time.Millisecond

func tell(event map[string]any) {
	line, _ := json.Marshal(event)
	fmt.Println(string(line))
}

func follow(url, live string) {
	mode := durablestreams.LiveModeLongPoll
	if live == "sse" {
		mode = durablestreams.LiveModeSSE
	}
	offset := durablestreams.StartOffset
	for {
		batches := durablestreams.NewClient().Stream(url).Read(
			context.Background(), durablestreams.WithOffset(offset), durablestreams.WithLive(mode))
		for {
			chunk, err := batches.Next()
			if errors.Is(err, durablestreams.ErrOffsetGone) {
				tell(map[string]any{"gone": true})
				offset = durablestreams.StartOffset
				break
			}
			if err != nil {
				tell(map[string]any{"failure": err.Error()})
				time.Sleep(pause)
				break
			}
			if len(chunk.Data) > 0 {
				tell(map[string]any{"messages": json.RawMessage(chunk.Data), "offset": chunk.NextOffset})
			}
			offset = chunk.NextOffset
			if chunk.StreamClosed {
				tell(map[string]any{"closed": true})
				return
			}
		}
		batches.Close()
	}
}

func report(url string, count int) error {
	ctx := context.Background()
	stream := durablestreams.NewClient().Stream(url)
	until := func(act func() error) error {
		for {
			err := act()
			var failed *durablestreams.StreamError
			if err == nil || (errors.As(err, &failed) && failed.StatusCode >= 400 && failed.StatusCode < 500) {
				return err
			}
			tell(map[string]any{"failure": err.Error()})
			time.Sleep(pause)
		}
	}
	opening := durablestreams.WithInitialData([]byte(`{"title":"From Go"}`))
	err := until(func() error {
		return stream.Create(ctx, durablestreams.WithContentType("application/json"), opening)
	})
	for number := 0; number < count && err == nil; number++ {
		headers := map[string]string{
			"Producer-Id": "go", "Producer-Epoch": "0", "Producer-Seq": strconv.Itoa(number),
		}
		message := []byte(fmt.Sprintf(`{"state":"stepping","completed":%d,"total":%d}`, number, count))
		err = until(func() error {
			_, err := stream.Append(ctx, message, durablestreams.WithAppendHeaders(headers))
			return err
		})
		tell(map[string]any{"sent": number})
	}
	if err != nil {
		return err
	}
	return until(func() error {
		_, err := stream.Close(ctx, durablestreams.WithCloseContentType("application/json"))
		return err
	})
}

func main() {
	if len(os.Args) == 4 && os.Args[1] == "follow" {
		follow(os.Args[2], os.Args[3])
		return
	}
	if len(os.Args) == 4 && os.Args[1] == "report" {
		count, err := strconv.Atoi(os.Args[3])
		if err == nil {
			err = report(os.Args[2], count)
		}
		if err == nil {
			return
		}
		fmt.Fprintln(os.Stderr, err)
	} else {
		fmt.Fprintln(os.Stderr, "usage: streamclient follow URL long-poll|sse, or streamclient report URL COUNT")
	}
	os.Exit(1)
}
