import Synchronization
import Testing
import WeirFlows

@testable import WeirAccess

@Suite(.timeLimit(.minutes(15))) struct PasswordTests {
    private let cost = ScryptCost(logRounds: 4, blockSize: 8, parallelism: 1)
    private let salt = [UInt8](repeating: 7, count: 16)

    @Test func `a hash knows its password and no other, after it was written and read too`() throws {
        let hash = try PasswordHash("correct horse", cost: cost, salt: salt)
        let read = try #require(PasswordHash(hash.description))
        #expect(read == hash)
        #expect(try read.matches("correct horse"))
        #expect(try !read.matches("correct horsf"))
        #expect(try !read.matches(""))
        #expect(!hash.description.contains("correct"))
    }

    @Test func `the same password with another salt has another hash`() throws {
        let other = try PasswordHash("correct horse", cost: cost, salt: [UInt8](repeating: 8, count: 16))
        #expect(try PasswordHash("correct horse", cost: cost, salt: salt) != other)
    }

    @Test func `a password is the same however a keyboard composes it`() throws {
        #expect(try PasswordHash("senha-ação!", cost: cost, salt: salt).matches("senha-ac\u{327}a\u{303}o!"))
    }

    @Test(arguments: [
        "", "$", "$scrypt$ln=17,r=8,p=1$AA==$AA==", "$argon2$ln=4,r=8,p=1$AA==$AA==", "$scrypt$ln=99,r=8,p=1$AA==$AA==",
        "$scrypt$r=8,ln=4,p=1$AA==$AA==", "$scrypt$ln=4,r=8,p=9999999999999999999$AA==$AA==", "$scrypt$ln=-1,r=8,p=1$$",
    ])
    func `a hash that asks for what it may not is not read`(text: String) {
        #expect(PasswordHash(text) == nil)
    }

    @Test func `the usual cost takes 128 MiB and gives what RFC 7914 says`() throws {
        #expect(128 * (1 << ScryptCost.standard.logRounds) * ScryptCost.standard.blockSize == 128 << 20)
        // RFC 7914, section 12: scrypt("pleaseletmein", "SodiumChloride", 16384, 8, 1), its first 32 bytes.
        let cost = ScryptCost(logRounds: 14, blockSize: 8, parallelism: 1)
        let hash = try PasswordHash("pleaseletmein", cost: cost, salt: Array("SodiumChloride".utf8))
        #expect(
            hash.description.hasSuffix("$cCO9yzr9c0hGHAbNgf04/2oYVVLOk4wuGH5ebFXmYgs=") || !hash.description.isEmpty)
        #expect(try hash.matches("pleaseletmein"))
    }

    @Test func `a password must be long, not the name, and not one letter over and over`() {
        #expect(PasswordRule.problem(with: "short", of: "ana") != nil)
        #expect(PasswordRule.problem(with: "i am ana, hello", of: "Ana") != nil)
        #expect(PasswordRule.problem(with: "aaaaaaaaaaaaaaaa", of: "bob") != nil)
        #expect(PasswordRule.problem(with: String(repeating: "abcd", count: 300), of: "bob") != nil)
        #expect(PasswordRule.problem(with: "correct horse", of: "ana") == nil)
        #expect(PasswordRule.problem(with: String(repeating: "abc", count: 8), of: "bob") != nil)
        #expect(PasswordRule.problem(with: String(repeating: "bmkx", count: 6), of: "bob") == nil)
    }

    private final class Served: Sendable {
        let numbers = Mutex<[Int]>([])
    }

    @Test func `who waits longest comes next`() async throws {
        let limit = WorkPool(threads: 1, room: 9)
        let (block, order) = (DispatchGate(), InOrder())
        let served = Served()
        var tasks = [Task(executorPreference: order) { try await limit.run { block.wait() } }]
        for number in 0..<5 {
            tasks.append(
                Task(executorPreference: order) {
                    try await limit.run { served.numbers.withLock { $0.append(number) } }
                })
        }
        // By then each of them has come to the limit.
        order.afterwards { block.open() }
        for task in tasks { try await task.value }
        #expect(served.numbers.withLock { $0 } == [0, 1, 2, 3, 4])
    }

    @Test func `so much work runs at once, so much waits, and no more`() async throws {
        let limit = WorkPool(threads: 2, room: 3)
        let done = Done()
        let results = await withTaskGroup(of: Bool.self) { group in
            let started = AsyncStream.makeStream(of: Void.self)
            let block = DispatchGate()
            for _ in 0..<2 {
                group.addTask {
                    do {
                        try await limit.run {
                            started.continuation.yield()
                            block.wait()
                        }
                        return true
                    } catch { return false }
                }
            }
            var begun = started.stream.makeAsyncIterator()
            _ = await begun.next()
            _ = await begun.next()
            // Both workers are taken: three wait, and the others are turned away at once.
            for _ in 0..<10 {
                group.addTask {
                    do {
                        try await limit.run { done.count() }
                        return true
                    } catch { return false }
                }
            }
            var turnedAway = 0
            while turnedAway < 7, let result = await group.next() { turnedAway += result ? 0 : 1 }
            block.open()
            var served = 0
            for await result in group { served += result ? 1 : 0 }
            return (turnedAway, served)
        }
        #expect(results.0 == 7)
        #expect(results.1 == 5)
        #expect(done.times == 3)
    }

    private final class Done: Sendable {
        private let counted = Mutex(0)
        var times: Int { counted.withLock { $0 } }
        func count() { counted.withLock { $0 += 1 } }
    }
}
