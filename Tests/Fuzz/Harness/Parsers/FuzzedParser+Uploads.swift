import Foundation
import NIOCore

@testable import WeirWeb

extension FuzzedParser {
    /// What a resumable upload says of itself: its names and values, and the checksum of a request's bytes.
    static let uploads = FuzzedParser("uploads", upTo: 512) { input in
        let text = input.text
        if let metadata = UploadMetadata(text) {
            expect(metadata.values.keys.allSatisfy { !$0.isEmpty && !$0.contains(" ") }, "a key that is none")
            let written = metadata.values.map { "\($0) \(Data($1.utf8).base64EncodedString())" }.joined(separator: ",")
            expect(
                written.utf8.count > UploadMetadata.limit || UploadMetadata(written) == metadata,
                "“\(written)” says something else than “\(text)”")
        }
        if let checksum = try? UploadChecksum(text) {
            let written = "\(checksum.algorithm.rawValue) \(checksum.digest.base64EncodedString())"
            let again = try? UploadChecksum(written)
            expect(
                again?.digest == checksum.digest && again?.algorithm == checksum.algorithm,
                "“\(written)” is another checksum than “\(text)”")
        }
    }

    /// Multipart bodies, whole and in pieces: both mean the same.
    static let multipart = FuzzedParser("multipart", upTo: 2_048) { input in
        var input = input
        let boundary = ["b", "----WebKitFormBoundary0123456789abcdef", "a b"][input.choice(3)]
        // Now and then byte by byte, which is slow.
        let isSlow = input.choice(16) == 0
        let steps = (0..<4).map { _ in isSlow ? 1 : input.choice(64) + 1 }
        let body = input.rest
        let whole = parts(of: body, boundary, steps: [max(1, body.count)])
        expect(parts(of: body, boundary, steps: steps) == whole, "in pieces of \(steps) bytes it is another body")
        guard case .parts(let parts) = whole else { return }
        expect(parts.count <= 100, "\(parts.count) parts")
        expect(parts.reduce(0) { $0 + $1.content.count } <= body.count, "the parts are longer than the body")
        for part in parts { expect(!part.head.name.isEmpty, "a part without a name") }
    }

    private struct Part: Equatable {
        let head: MultipartPart
        var content: [UInt8] = []
    }

    private enum Body: Equatable {
        case parts([Part])
        case refused(MultipartMistake, after: [Part])
    }

    private static func parts(of body: [UInt8], _ boundary: String, steps: [Int]) -> Body {
        guard var parser = MultipartParser(boundary: boundary) else { return .refused(.noBoundary, after: []) }
        var parts: [Part] = []
        var (place, turn) = (0, 0)
        do throws(MultipartMistake) {
            while true {
                while let event = try parser.next() {
                    switch event {
                    case .part(let head): parts.append(Part(head: head))
                    case .data(let bytes):
                        expect(bytes.readableBytes > 0, "a piece without bytes")
                        parts[parts.count - 1].content += bytes.readableBytesView
                    case .endOfPart, .end: break
                    }
                }
                guard place < body.count else { break }
                let end = min(body.count, place + steps[turn % steps.count])
                parser.push(ByteBuffer(bytes: body[place..<end]))
                (place, turn) = (end, turn + 1)
            }
            try parser.finish()
            return .parts(parts)
        } catch {
            expectSentence(error.detail)
            // How much of the last part came before the mistake depends on the pieces; what came whole does not.
            return .refused(error, after: [])
        }
    }
}
