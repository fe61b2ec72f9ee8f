import WeirStates

/// The path and query of a request below the mount path, taken apart strictly.
///
/// A segment is decoded once. One that is empty, `.` or `..`, that is not UTF-8, or that hides a slash, a backslash or a
/// control character behind its encoding makes the whole path malformed: no such name is ever looked up.
struct RequestTarget: Sendable, Hashable {
    /// The path and query as they were sent, with the mount path.
    let text: String
    /// The decoded segments below the mount path; none for the mount path itself.
    let segments: [String]
    /// The part after the question mark.
    let query: FormFields

    /// Why a target is no target.
    enum Mistake: Error { case outside, malformed }

    init(_ text: String, mount: MountPath) throws(Mistake) {
        self.text = text
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = parts.first, let below = mount.below(path) else { throw .outside }
        let raw = below.isEmpty ? [] : below.split(separator: "/", omittingEmptySubsequences: false)
        var segments: [String] = []
        for segment in raw {
            guard let decoded = PercentEncoding.decode(segment), Self.isPlain(decoded) else { throw .malformed }
            segments.append(decoded)
        }
        self.segments = segments
        guard let query = FormFields(parts.count > 1 ? parts[1] : "") else { throw .malformed }
        self.query = query
    }

    private static func isPlain(_ segment: String) -> Bool {
        !segment.isEmpty && segment != "." && segment != ".."
            && segment.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f && $0 != "/" && $0 != "\\" }
    }
}
