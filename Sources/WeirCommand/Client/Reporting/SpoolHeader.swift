import Foundation
package import WeirStates

/// What is reported, and to which server: the first line of a spool.
package struct SpoolHeader: Sendable, Hashable, Codable {
    /// The address of the server.
    package let server: String
    /// The id of the operation.
    package let operation: String
    /// The id of the run.
    package let run: String
    package let title: String?
    package let input: JSONValue

    package init(server: String, operation: String, run: String, title: String?, input: JSONValue) {
        self.server = server
        self.operation = operation
        self.run = run
        self.title = title
        self.input = input
    }

    /// Whether the operation's name can be one: the server takes `a-z`, `0-9` and single hyphens, at most 40 characters.
    package static func isOperation(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return name.utf8.count <= 40
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.allSatisfy {
                        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    }
            }
    }
}
