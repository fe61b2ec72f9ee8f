import CLibXML2

/// The one-time initialisation of libxml2, and helpers for its C types.
enum LibXML2 {
    /// Sets up libxml2's tables before any thread uses them; safe to call from many threads.
    static func prepare() {
        _ = isPrepared
    }

    private static let isPrepared = clibxml2_prepare() == 0

    /// Frees a string that libxml2 returned.
    static func free(_ text: UnsafeMutablePointer<xmlChar>) {
        clibxml2_free(text)
    }

    /// A string of libxml2's error structure; empty if there is none.
    static func text(_ pointer: UnsafeMutablePointer<CChar>?) -> String {
        pointer.map { String(cString: $0) } ?? ""
    }
}
