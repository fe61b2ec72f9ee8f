import Foundation
import Testing
@testable import WeirJournals

@Suite(.timeLimit(.minutes(15)))
struct OpenFileTests {
    @Test func `locks end with their file, also if a program that is just starting has a copy of its descriptor`()
        async throws
    {
        try await TemporaryFolder.with { folder in
            let path = folder.file("locked")
            let file = try OpenFile(path: path)
            #expect(file.lock() && file.lockBeyondEnd())
            let status = try #require(file.status)
            let copies = (0..<4_096).filter { (descriptor: Int32) in
                var other = stat()
                return fstat(descriptor, &other) == 0 && UInt64(other.st_ino) == status.number
                    && UInt64(truncatingIfNeeded: other.st_dev) == status.device
            }.map { dup($0) }
            #expect(!copies.isEmpty)
            file.close()
            let other = try OpenFile(path: path)
            #expect(other.lock() && other.lockBeyondEnd())
            for copy in copies { close(copy) }
        }
    }
}
