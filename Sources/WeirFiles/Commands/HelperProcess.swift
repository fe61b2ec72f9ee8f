import CProcesses
import Foundation
import NIOPosix
import Synchronization

/// A helper process, and the means to end its command even if the command has stopped or killed the helper.
///
/// Both run as the same user, so a command can send signals to its helper. This process is the subreaper of its descendants: it
/// becomes the parent of the processes of a killed helper, and finds them among its children.
final class HelperProcess: Sendable {
    /// The helpers that have not been reaped.
    ///
    /// Global because a process has one set of children: those in another session that are not listed here are adopted.
    private static let all = Mutex<Set<pid_t>>([])

    /// How long after the deadline of a helper this process kills the helper's descendants itself.
    private static let margin = Duration.seconds(1)
    private static let interval = Duration.milliseconds(50)
    /// The number of attempts before the helper itself is killed, and before processes that cannot be killed are left.
    private static let attempts = 100

    private static let adopts = Mutex(false)

    private struct State {
        var isOver = false
        var enforcement: Task<Void, any Error>?
    }

    private let id: pid_t
    private let state = Mutex(State())

    /// Starts a helper; the parameters are those of `ChildProcess.start`.
    init(
        _ path: String, environment: [String], descriptors: [Int32: Int32]
    ) throws(CommandFailure) {
        // Under the lock, because a helper that is not listed would be killed as an adopted process.
        id = try Self.all.withLock { all throws(CommandFailure) in
            let id = try ChildProcess.start(
                path, arguments: [CommandHelper.name], environment: environment, descriptors: descriptors, as: .helper)
            all.insert(id)
            return id
        }
    }

    /// Resumes the helper if the command has stopped it.
    func resume() { signal(SIGCONT) }

    /// Resumes the helper, and kills its command if the helper has not done so after the given time and a margin.
    func enforceEnd(after time: Duration) {
        resume()
        state.withLock { state in
            guard !state.isOver else { return }
            state.enforcement?.cancel()
            state.enforcement = Task {
                try await Task.sleep(for: time + Self.margin)
                for attempt in 1... {
                    let left = await Self.inPool { self.killDescendants() }
                    let isLate = attempt >= Self.attempts
                    if isLate, left > 0 || processes_is_stopped(id) != 0 { signal(SIGKILL) }
                    // A helper without descendants can wait for the reader of its terminal.
                    try await Task.sleep(for: isLate ? .seconds(1) : Self.interval)
                }
            }
        }
    }

    /// Ends the supervision of a command that has ended; the helper can continue for programs that are kept.
    func finish() {
        state.withLock { state in
            state.isOver = true
            state.enforcement?.cancel()
            state.enforcement = nil
        }
    }

    /// Waits for the helper's end.
    ///
    /// Blocks unless the helper has closed its report.
    func reap() {
        var info = siginfo_t()
        while waitid(P_PID, id_t(bitPattern: id), &info, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        finish()
        // Under the lock, because the system can give the id to another helper at once.
        Self.all.withLock { all in
            waitpid(id, nil, 0)
            all.remove(id)
        }
    }

    static func adoptOrphans() {
        adopts.withLock { $0 = true }
        processes_adopt()
    }

    /// Kills the adopted processes, which are those of helpers that were killed and have been reaped.
    ///
    /// Has no effect unless `adoptOrphans()` was called.
    static func endAdopted() async {
        guard adopts.withLock({ $0 }) else { return }
        for _ in 0..<attempts {
            let left = await inPool {
                all.withLock { all in
                    let helpers = Array(all)
                    return processes_signal_adopted(helpers, helpers.count, SIGKILL)
                }
            }
            if left == 0 { return }
            // The caller's task is never cancelled.
            try? await Task.sleep(for: interval)
        }
    }

    private func signal(_ number: Int32) {
        Self.all.withLock { all in
            if all.contains(id), !state.withLock(\.isOver) { kill(id, number) }
        }
    }

    /// Kills the helper's descendants, and resumes the helper, so that it reports their end; returns how many ran.
    private func killDescendants() -> Int {
        Self.all.withLock { all in
            guard all.contains(id), !state.withLock(\.isOver) else { return 0 }
            let running = processes_signal(id, SIGKILL)
            kill(id, SIGCONT)
            return running
        }
    }

    /// Runs work that reads `/proc` outside the cooperative thread pool.
    private static func inPool(_ body: @escaping @Sendable () -> Int) async -> Int {
        // The pool of the process never shuts down.
        (try? await NIOThreadPool.singleton.runIfActive(body)) ?? 0
    }
}

extension CommandHelper {
    /// Makes this process the parent of programs whose `weir-exec` is killed, so that it can kill them.
    ///
    /// Only for a process that starts no other children: it also inherits, and can kill, theirs.
    package static func adoptOrphans() { HelperProcess.adoptOrphans() }
}
