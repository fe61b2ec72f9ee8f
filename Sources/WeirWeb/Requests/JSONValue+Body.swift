import Foundation
import NIOCore
import WeirStates

extension JSONValue {
    /// Reads the body of a request.
    ///
    /// Throws a problem that says where the JSON is broken.
    init(body: ByteBuffer) throws(Problem) {
        do {
            self = try JSONValue(parsing: Data(body.readableBytesView))
        } catch DecodingError.dataCorrupted(let context) {
            throw .malformedBody("The body is not JSON: \(context.debugDescription)")
        } catch {
            throw .malformedBody("The body is not JSON.")
        }
    }
}
