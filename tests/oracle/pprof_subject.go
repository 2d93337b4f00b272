package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
)

var sink int

//go:noinline
func burn(n int) {
	for i := 0; i < n; i++ {
		sink += i % 7
	}
}

//go:noinline
func easy() { burn(20000000) }

//go:noinline
func hard() { burn(200000000) }

//go:noinline
func even(n int) int {
	burn(100000)
	if n == 0 {
		return 0
	}
	return odd(n-1) + 1
}

//go:noinline
func odd(n int) int {
	burn(100000)
	if n == 0 {
		return 0
	}
	return even(n-1) + 1
}

var kept [][]byte

//go:noinline
func keep(n int) {
	for i := 0; i < n; i++ {
		kept = append(kept, make([]byte, 1<<16))
	}
}

func main() {
	runtime.MemProfileRate = 4096
	cpu, _ := os.Create(os.Args[1])
	pprof.StartCPUProfile(cpu)
	easy()
	hard()
	fmt.Println(even(300))
	keep(300)
	var group sync.WaitGroup
	group.Add(1)
	go func() { defer group.Done(); burn(30000000) }()
	group.Wait()
	pprof.StopCPUProfile()
	cpu.Close()
	heap, _ := os.Create(os.Args[2])
	runtime.GC()
	pprof.WriteHeapProfile(heap)
	heap.Close()
	fmt.Println(len(kept), sink)
}
