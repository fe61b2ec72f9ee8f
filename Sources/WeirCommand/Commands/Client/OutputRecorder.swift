import Foundation
import Synchronization
import WeirStates

/// Passes on what a command prints, and adds it to the spool on the way.
final class OutputRecorder: Sendable {
    private struct Core {
        var messages: [OutputChannel: OutputMessages] = [
            .standardOutput: OutputMessages(.standardOutput), .standardError: OutputMessages(.standardError),
        ]
        /// How many messages could not be kept.
        var missing = 0
    }

    private let spool: Spool
    private let notify: @Sendable () -> Void
    private let core = Mutex(Core())

    /// `notify` is called when there is something new in the spool.
    init(_ spool: Spool, notify: @escaping @Sendable () -> Void) {
        self.spool = spool
        self.notify = notify
    }

    /// Takes what was read on a channel; nothing for its end.
    ///
    /// False when nobody takes what the command prints any more.
    func take(_ channel: OutputChannel, _ bytes: UnsafeRawBufferPointer) -> Bool {
        // Unsafe memory: the bytes are read only during the call, and no further than their count.
        let isPassed = pass(bytes, to: channel == .standardError ? 2 : 1)
        core.withLock { core in
            let messages =
                bytes.isEmpty ? core.messages[channel]?.finish() : core.messages[channel]?.take(bytes)
            keep(messages ?? [], &core)
        }
        return isPassed
    }

    /// Adds messages that are not the command's.
    func add(_ messages: [JSONValue]) { core.withLock { keep(messages, &$0) } }

    private func keep(_ messages: [JSONValue], _ core: inout Core) {
        guard !messages.isEmpty else { return }
        var list = messages
        if core.missing > 0 {
            let words = "weir: \(core.missing) lines are missing here, since \(spool.url.path) could not be written."
            list.insert(["line": .string(words), "channel": "stderr"], at: 0)
        }
        do {
            try spool.append(list)
            core.missing = 0
            notify()
        } catch {
            if core.missing == 0 {
                complain("weir: The report cannot be kept in \(spool.url.path). Is the disk full? The command goes on.")
            }
            core.missing = min(core.missing, .max - messages.count) + messages.count
        }
    }

    private func pass(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                var waiting = pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: POLLOUT), revents: 0)
                poll(&waiting, 1, 1_000)
                continue
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(max(0, count))
        }
        return true
    }
}
