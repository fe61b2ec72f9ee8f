import Foundation
import NIOCore
import States

extension JSONValue {
    /// Reads the body of a request.
    ///
    /// Throws a problem that says where the JSON is broken.
    init(body: ByteBuffer) throws(Problem) {
        do {
            self = try JSONValue(parsing: Data(body.readableBytesView))
        } catch let DecodingError.dataCorrupted(context) {
            let cause = context.underlyingError.map { ($0 as NSError).userInfo[NSDebugDescriptionErrorKey] as? String }
            let place = (cause ?? nil).map { ": " + $0 } ?? "."
            throw .malformedBody("The body is not JSON\(place)")
        } catch {
            throw .malformedBody("The body is not JSON.")
        }
    }
}
