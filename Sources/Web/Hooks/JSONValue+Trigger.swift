import Foundation
import NIOCore
import States

extension JSONValue {
    /// Reads the body of a request to a trigger: JSON, or a form whose field `payload` is JSON, as GitHub sends it by default.
    ///
    /// An empty body is null. Throws a problem that says what to send.
    init(trigger content: Data, type: ContentType?) throws(Problem) {
        guard !content.isEmpty else {
            self = .null
            return
        }
        guard type?.isForm == true else {
            self = try JSONValue(body: ByteBuffer(bytes: content))
            return
        }
        guard let payload = FormFields(String(decoding: content, as: UTF8.self))?["payload"] else {
            throw .malformedBody("The form has no field “payload” with JSON. Choose JSON as the content type.")
        }
        self = try JSONValue(body: ByteBuffer(string: payload))
    }
}
