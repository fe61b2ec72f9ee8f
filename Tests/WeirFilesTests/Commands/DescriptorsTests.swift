import Foundation
import Testing

@testable import WeirFiles

struct DescriptorsTests {
    @Test func `a pipe is open at two places, so that whoever reads is told of its end`() throws {
        var descriptors = Descriptors()
        defer { descriptors.closeAll() }
        let (read, write) = try descriptors.pipe()
        let pipe = try target(of: String(read))
        let places = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter { place in
            // Another test may close one of its own meanwhile.
            (try? target(of: place)) == pipe
        }
        #expect(Set(places) == [String(read), String(write)])
    }

    @Test func `what a command reads is left in no folder`() throws {
        var descriptors = Descriptors()
        defer { descriptors.closeAll() }
        let file = try descriptors.file(holding: Array("a secret".utf8))
        var status = stat()
        #expect(fstat(file, &status) == 0)
        #expect(status.st_size == 8)
        #expect(status.st_nlink == 0)
    }

    private func target(of place: String) throws -> String {
        try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(place)")
    }
}
