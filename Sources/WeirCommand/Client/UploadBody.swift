import Foundation
import NIOCore

/// A `multipart/form-data` body with a file, which is read while it is sent.
struct UploadBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer
    private static let pieceSize = 65_536

    let contentType: String
    let length: Int64
    let sent = ProgressCount()
    private let head: Data
    private let tail: Data
    private let path: String
    private let fileLength: Int64

    /// Creates a body in which the file is last, because the run starts with its first bytes.
    init(fields: [(name: String, value: String)], file name: String, path: String, boundary: String) throws(ClientError)
    {
        self.path = path
        contentType = "multipart/form-data; boundary=\(boundary)"
        var head = ""
        for field in fields {
            head += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(Self.quoted(field.name))\"\r\n\r\n"
            head += field.value + "\r\n"
        }
        let filename = Self.quoted(URL(filePath: path).lastPathComponent)
        head +=
            "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(Self.quoted(name))\"; filename=\"\(filename)\"\r\n"
        head += "Content-Type: application/octet-stream\r\n\r\n"
        self.head = Data(head.utf8)
        tail = Data("\r\n--\(boundary)--\r\n".utf8)
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard attributes?[.type] as? FileAttributeType == .typeRegular,
            let size = attributes?[.size] as? Int64 ?? (attributes?[.size] as? Int).map(Int64.init(clamping:)),
            FileManager.default.isReadableFile(atPath: path)
        else { throw InputArguments.unreadable(path) }
        fileLength = size
        length = size + Int64(self.head.count) + Int64(tail.count)
    }

    private static func quoted(_ name: String) -> String {
        name.replacingOccurrences(of: "\"", with: "%22").replacingOccurrences(of: "\r", with: "%0D")
            .replacingOccurrences(of: "\n", with: "%0A")
    }

    func makeAsyncIterator() -> Iterator { Iterator(upload: self) }

    struct Iterator: AsyncIteratorProtocol {
        private enum Stage { case head, file, end }
        private let upload: UploadBody
        private var stage = Stage.head
        private var file: FileHandle?
        private var left: Int64

        fileprivate init(upload: UploadBody) {
            self.upload = upload
            left = upload.fileLength
        }

        /// Returns the next piece; throws if the file has become shorter than its announced length.
        mutating func next() async throws -> ByteBuffer? {
            switch stage {
            case .head:
                file = try FileHandle(forReadingFrom: URL(filePath: upload.path))
                stage = .file
                return ByteBuffer(bytes: upload.head)
            case .file where left > 0:
                let count = Int(clamping: Swift.min(left, Int64(UploadBody.pieceSize)))
                guard let piece = try file?.read(upToCount: count), !piece.isEmpty else {
                    throw InputArguments.unreadable(upload.path)
                }
                left -= Int64(piece.count)
                upload.sent.add(piece.count)
                return ByteBuffer(bytes: piece)
            case .file:
                stage = .end
                return ByteBuffer(bytes: upload.tail)
            case .end: return nil
            }
        }
    }
}

extension InputArguments {
    static func unreadable(_ path: String) -> ClientError {
        ClientError(.missing, "The file \(VisibleText.line(path)) cannot be read. Check its name and its permissions.")
    }
}
