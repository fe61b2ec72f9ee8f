import NIOCore
import WeirStates

extension JSONValue {
    /// Reads the body of a request to a trigger: JSON, or a form whose field `payload` is JSON, as GitHub sends it by default.
    ///
    /// An empty body is null. Throws a problem that says what to send.
    init(trigger content: ByteBuffer, type: ContentType?) throws(Problem) {
        guard content.readableBytes > 0 else {
            self = .null
            return
        }
        guard type?.isForm == true else {
            self = try JSONValue(body: content)
            return
        }
        guard let payload = try FormFields(body: content)["payload"] else {
            throw .malformedBody("The form has no field “payload” with JSON. Choose JSON as the content type.")
        }
        self = try JSONValue(body: ByteBuffer(string: payload))
    }
}
