import HTTPTypes

/// Whether a client takes a compressed answer (RFC 9110, 12.5.3).
enum AcceptedCoding {
    /// Whether the header `Accept-Encoding` allows gzip.
    static func isGzip(_ header: String?) -> Bool {
        guard let header else { return false }
        // What every browser sends, which costs no taking apart.
        if header.hasPrefix("gzip,") || header == "gzip" { return true }
        var isAllowed = false
        for choice in header.split(separator: ",") {
            let parts = choice.split(separator: ";").map { $0.trimmingSpaces.lowercased() }
            guard let coding = parts.first, ["gzip", "x-gzip", "*"].contains(coding) else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 }
            let isTaken = weight != 0
            // What is said of gzip itself counts, whatever is said of all codings.
            if coding != "*" { return isTaken }
            isAllowed = isTaken
        }
        return isAllowed
    }
}

extension Substring {
    fileprivate var trimmingSpaces: Substring {
        var text = self
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}
