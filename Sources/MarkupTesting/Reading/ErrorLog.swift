import CLibXML2

/// The errors that libxml2 reports while it works on one document, as values.
final class ErrorLog {
    /// One error of libxml2.
    struct Entry {
        var code: Int
        var line: Int
        var column: Int
        var message: String
        var names: [String]
        var node: xmlNodePtr?
    }

    /// The errors, in the order reported, up to the limit, because the first ones matter.
    private(set) var entries: [Entry] = []

    private static let limit = 200

    func add(_ entry: Entry) {
        if entries.count < Self.limit { entries.append(entry) }
    }

    /// The pointer by which C code refers to this log; the log must outlive its use.
    var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// The log that a pointer refers to.
    static func at(_ pointer: UnsafeMutableRawPointer?) -> ErrorLog? {
        pointer.map { Unmanaged<ErrorLog>.fromOpaque($0).takeUnretainedValue() }
    }
}

extension ErrorLog.Entry {
    /// Copies libxml2's error, which is valid only while it is reported.
    init(_ error: xmlError) {
        code = Int(error.code)
        line = Int(error.line)
        column = Int(error.int2)
        message = LibXML2.text(error.message).split(whereSeparator: \.isNewline).joined(separator: " ")
        names = [error.str1, error.str2, error.str3].map { LibXML2.text($0) }
        node = error.node?.assumingMemoryBound(to: xmlNode.self)
    }
}
