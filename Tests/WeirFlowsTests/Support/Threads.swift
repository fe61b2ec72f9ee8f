import Foundation
import WeirFlows

/// Runs a body on threads of its own, which may spin without taking one from the tests; waits for all of them.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
    let running = MutableStateFlow(count)
    for number in 0..<count {
        Thread.detachNewThread {
            body(number)
            running.update { $0 - 1 }
        }
    }
    _ = await running.first { $0 == 0 }
}
