import StandardOperations

/// The address of a request, as a file has it.
enum OutgoingAddress {
    /// What is wrong with an address, in a sentence; nil if it can be requested.
    static func mistake(in url: String) -> String? {
        do throws(HTTPFailure) {
            _ = try HTTPTarget(url)
            return nil
        } catch {
            return error.description
        }
    }

    /// A value as a part of a URL: everything but letters, digits and `-._~` is percent-encoded.
    static func encoded(_ value: String) -> String {
        value.utf8.map { byte in
            let isPlain =
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-._~".utf8.contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            guard !isPlain else { return String(UnicodeScalar(byte)) }
            let digits = String(byte, radix: 16, uppercase: true)
            return byte < 16 ? "%0\(digits)" : "%\(digits)"
        }.joined()
    }
}
