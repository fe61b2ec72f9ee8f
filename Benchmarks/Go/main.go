// The rows of FlowBenchmarks as one would write them in Go: a state behind a mutex, a channel of one for each
// subscriber that waits, and a context to cancel it by. See README.md.
package main

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// StateFlow has a current value, which subscribers are told of: conflated, without ever blocking who writes.
type StateFlow struct {
	mutex     sync.Mutex
	value     int
	version   int
	waiting   map[*Subscriber]struct{}
	callbacks []func(int)
	turn      sync.Mutex
}

// Subscriber is one goroutine's place in a flow.
type Subscriber struct {
	news chan struct{}
	seen int
}

func NewStateFlow(value int) *StateFlow {
	return &StateFlow{value: value, version: 1, waiting: map[*Subscriber]struct{}{}}
}

func (flow *StateFlow) Get() int {
	flow.mutex.Lock()
	defer flow.mutex.Unlock()
	return flow.value
}

func (flow *StateFlow) Set(value int) {
	flow.mutex.Lock()
	if flow.value == value {
		flow.mutex.Unlock()
		return
	}
	flow.value = value
	flow.version++
	for subscriber := range flow.waiting {
		select {
		case subscriber.news <- struct{}{}:
		default:
		}
	}
	callbacks := flow.callbacks
	flow.mutex.Unlock()
	if len(callbacks) > 0 {
		flow.turn.Lock()
		for _, callback := range callbacks {
			callback(value)
		}
		flow.turn.Unlock()
	}
}

func (flow *StateFlow) Subscribe(callback func(int)) {
	flow.mutex.Lock()
	flow.callbacks = append(flow.callbacks, callback)
	flow.mutex.Unlock()
}

// Collect calls back with each value until the context is cancelled.
func (flow *StateFlow) Collect(context context.Context, body func(int)) {
	subscriber := &Subscriber{news: make(chan struct{}, 1)}
	flow.mutex.Lock()
	flow.waiting[subscriber] = struct{}{}
	flow.mutex.Unlock()
	defer func() {
		flow.mutex.Lock()
		delete(flow.waiting, subscriber)
		flow.mutex.Unlock()
	}()
	for {
		flow.mutex.Lock()
		value, version := flow.value, flow.version
		flow.mutex.Unlock()
		if version > subscriber.seen {
			subscriber.seen = version
			body(value)
		}
		select {
		case <-subscriber.news:
		case <-context.Done():
			return
		}
	}
}

// What a repetition costs, in nanoseconds: the best of five, after finding out how many take 15 ms.
func cost(work func(count int)) float64 {
	best := func(passes, count int) float64 {
		best := math.Inf(1)
		for ; passes > 0; passes-- {
			start := time.Now()
			work(count)
			best = math.Min(best, float64(time.Since(start).Nanoseconds()))
		}
		return best
	}
	count := 1
	for best(2, count) < 15e6 {
		count *= 2
	}
	return best(5, count*2) / float64(count*2)
}

func row(name string, cost float64) { fmt.Printf("%s\tGo\t%f\tns\n", name, cost) }

func handOff(collectors int, where string) {
	flow := NewStateFlow(0)
	context, cancel := context.WithCancel(context.Background())
	var remaining atomic.Int64
	done := make(chan struct{}, 1)
	remaining.Store(int64(collectors))
	for number := 0; number < collectors; number++ {
		go flow.Collect(context, func(int) {
			if remaining.Add(-1) == 0 {
				done <- struct{}{}
			}
		})
	}
	<-done
	value := 0
	row(fmt.Sprintf("hand-off to %d, %s", collectors, where), cost(func(count int) {
		for ; count > 0; count-- {
			remaining.Store(int64(collectors))
			value++
			flow.Set(value)
			<-done
		}
	}))
	cancel()
}

func main() {
	flow := NewStateFlow(0)
	row("set, nobody watches", cost(func(count int) {
		for value := 0; value < count; value++ {
			flow.Set(value)
		}
	}))
	sum := 0
	row("get", cost(func(count int) {
		for ; count > 0; count-- {
			sum += flow.Get()
		}
	}))
	row("two writers, each write", cost(func(count int) {
		var writers sync.WaitGroup
		for writer := 0; writer < 2; writer++ {
			writers.Add(1)
			go func(writer int) {
				for value := 0; value < count; value++ {
					flow.Set(value*2 + writer)
				}
				writers.Done()
			}(writer)
		}
		writers.Wait()
	})/2)
	for _, subscribers := range []int{1, 10, 100, 1000} {
		flow := NewStateFlow(0)
		for number := 0; number < subscribers; number++ {
			flow.Subscribe(func(value int) { sum += value })
		}
		row(fmt.Sprintf("callback delivery to %d", subscribers), cost(func(count int) {
			for value := 0; value < count; value++ {
				flow.Set(value & 1)
			}
		}))
	}
	cores := runtime.GOMAXPROCS(0)
	for _, collectors := range []int{1, 10, 100, 1000} {
		runtime.GOMAXPROCS(1)
		handOff(collectors, "one thread")
		runtime.GOMAXPROCS(cores)
		handOff(collectors, "default executor")
	}
	if sum == 1 {
		fmt.Println(sum)
	}
}
