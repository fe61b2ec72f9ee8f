import Dispatch
import Synchronization
import Testing
import WeirFlows

@testable import WeirStandard

/// A resolver of the system that does not answer.
@Suite(.timeLimit(.minutes(15))) struct SystemNameResolverTests {
    @Test func `a name that is not found in time is refused in words, and keeps its thread`() async throws {
        let (entered, end) = (OneShot<Void>(), DispatchSemaphore(value: 0))
        let asked = Mutex<[String]>([])
        let resolver = SystemNameResolver(pool: WorkPool(threads: 1), timeout: .milliseconds(100)) { host in
            asked.withLock { $0.append(host) }
            entered.send(())
            end.wait()
            return ["192.0.2.1"]
        }
        let first = Task { try await resolver.addresses(of: "silent.example") }
        await entered.value()
        for host in ["silent.example", "other.example"] {
            let failure = await #expect(throws: HTTPFailure.self) {
                _ = try await host == "silent.example" ? first.value : resolver.addresses(of: host)
            }
            #expect("\(String(describing: failure))".contains("no answer within"), "\(host)")
        }
        end.signal()
        // The one that waited for the thread never began.
        let later = SystemNameResolver(pool: WorkPool(threads: 1)) { _ in ["192.0.2.2"] }
        #expect(try await later.addresses(of: "good.example") == ["192.0.2.2"])
        #expect(asked.withLock { $0 } == ["silent.example"])
    }

    @Test func `a caller that is cancelled leaves at once`() async throws {
        let (entered, end) = (OneShot<Void>(), DispatchSemaphore(value: 0))
        let resolver = SystemNameResolver(pool: WorkPool(threads: 1), timeout: .seconds(3_600)) { _ in
            entered.send(())
            end.wait()
            return []
        }
        let search = Task { try await resolver.addresses(of: "silent.example") }
        await entered.value()
        search.cancel()
        await #expect(throws: CancellationError.self) { _ = try await search.value }
        end.signal()
    }
}
