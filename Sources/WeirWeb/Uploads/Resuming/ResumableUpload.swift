import WeirStates

/// An upload that can be continued, as it is kept beside its bytes.
struct ResumableUpload: Codable, Sendable {
    /// Its name: letters, digits and hyphens.
    let id: String
    /// The operation whose runs take the file.
    let operation: String
    /// The principal that may continue it; the same for everybody where nobody is asked who they are.
    let owner: String
    /// How long the file is, in bytes.
    let length: Int64
    /// What the sender said of it, as it was sent.
    let metadata: String?
    /// The input of its runs.
    let input: JSONValue

    /// Whether a text can be the name of an upload, and so of a file in no other folder.
    static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
            }
    }
}
