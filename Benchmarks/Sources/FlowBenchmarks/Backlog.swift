import Flows

extension Report {
    /// A million states written while a lossless subscriber does not look, then read.
    func backlog() async {
        guard includes("backlog") else { return }
        let count = count(1_000_000)
        let ours = await nanoseconds(count) { count in
            let flow = MutableStateFlow(-1)
            var values = flow.values(.lossless).makeAsyncIterator()
            for value in 0..<count { flow.value = value }
            for _ in 0...count { _ = await values.next(isolation: nil) }
        }
        let peer = await nanoseconds(count) { count in
            let (stream, continuation) = AsyncStream<Int>.makeStream()
            var values = stream.makeAsyncIterator()
            for value in 0..<count { continuation.yield(value) }
            for _ in 0..<count { _ = await values.next(isolation: nil) }
        }
        row("backlog of \(count), written and read, each", [("Flows", ours), ("AsyncStream", peer)])
    }
}
