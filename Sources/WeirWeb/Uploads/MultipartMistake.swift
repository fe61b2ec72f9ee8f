/// Why a body is not `multipart/form-data`, in a sentence for its sender.
struct MultipartMistake: Error, Hashable, Sendable {
    let detail: String

    static let boundary = MultipartMistake(
        detail: "The body does not begin with the boundary that Content-Type names, on a line of its own.")
    static let delimiter = MultipartMistake(
        detail: "A boundary in the body is followed by something other than the end of its line.")
    static let head = MultipartMistake(
        detail: "A part's header is malformed: it needs one Content-Disposition of form-data with a name, in UTF-8.")
    static let headTooLong = MultipartMistake(detail: "A part's header is longer than 8 KiB.")
    static let tooManyParts = MultipartMistake(detail: "The body has more than 100 parts.")
    static let encoding = MultipartMistake(
        detail: "A part names a Content-Transfer-Encoding; send its bytes as they are.")
    static let epilogue = MultipartMistake(detail: "There is text after the last boundary.")
    static let truncated = MultipartMistake(detail: "The body ends before its last boundary.")
    static let noBoundary = MultipartMistake(
        detail:
            "Content-Type names no usable boundary: 1 to 70 letters, digits and '()+_,-./:=?, not ending with a space.")
}
