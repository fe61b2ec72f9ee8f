import Crypto
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import WeirAccess
import WeirBoards
import WeirFlows
import WeirJournals
import WeirPages
import WeirStates

/// Caches documents of live pages and the gallery; concurrent requests for the same document share one rendering.
final class PageCache: Sendable {
    /// Everything that determines a document: equal keys have equal documents.
    struct Key: Hashable, Sendable {
        let audience: Audience
        let subject: Subject
        let frame: PageFrame

        enum Subject: Hashable, Sendable {
            /// A live page at a cursor, with the number of rewrites that caused no change, and a run page's output.
            case live(LivePage, PageCursor, rewrites: Int, Output?)
            case gallery(GallerySection?)
        }

        struct Output: Hashable, Sendable {
            let head: SequenceNumber
            let isClosed: Bool
            let unfinished: UnfinishedLines
        }
    }

    /// A rendered document with placeholders for values of each request.
    struct Document: Sendable {
        private enum Piece: Sendable {
            case bytes(ByteBuffer, compressed: Gzip.Part?)
            case place(PageDocument.Place)
        }

        private let pieces: [Piece]
        let size: Int
        private let hash: String

        init(_ document: PageDocument) {
            var (size, hash) = (0, SHA256())
            pieces = document.pieces.map { piece in
                switch piece {
                case .markup(let markup):
                    let bytes = ByteBuffer(string: markup)
                    let part = Gzip.Part(compressing: bytes)
                    size += bytes.readableBytes + (part?.size ?? 0)
                    hash.update(data: bytes.readableBytesView)
                    return .bytes(bytes, compressed: part)
                case .place(let place): return .place(place)
                }
            }
            self.size = size
            self.hash = Hex(hash.finalize().prefix(16)).text
        }

        /// The document's weak entity tag, which ignores the server's time; equal only for equal documents, across all
        /// audiences.
        func tag(for frame: PageFrame) -> EntityTag {
            var names = SHA256()
            for place in PageDocument.Place.allCases where place != .clock {
                names.update(data: Data((PageDocument.markup(of: place, in: frame) + "\n").utf8))
            }
            return EntityTag(weak: hash + Hex(names.finalize().prefix(8)).text)
        }

        func filled(for frame: PageFrame) -> ByteBuffer {
            var body = ByteBuffer()
            body.reserveCapacity(size + 256)
            for piece in pieces {
                switch piece {
                case .bytes(let bytes, _): body.writeImmutableBuffer(bytes)
                case .place(let place): body.writeString(PageDocument.markup(of: place, in: frame))
                }
            }
            return body
        }

        /// The filled document, with shared parts compressed once and values stored uncompressed; nil if compression failed.
        func compressed(for frame: PageFrame) -> ByteBuffer? {
            var parts: [Gzip.Part] = []
            for piece in pieces {
                switch piece {
                case .bytes(_, let part?): parts.append(part)
                case .bytes: return nil
                case .place(let place): parts.append(Gzip.Part(stored: PageDocument.markup(of: place, in: frame)))
                }
            }
            return Gzip.body(of: parts)
        }
    }

    private let documents = GenerationCache<Key, Document>(limit: 32 * 1_024 * 1_024)
    private let rendering = NIOLockedValueBox<[Key: Task<Document, any Error>]>([:])

    /// Returns the cached document, or renders it once for all concurrent callers; throws ``Problem/crowdedAnswers`` under
    /// load.
    func document(
        for key: Key, on pool: WorkPool = .documents, render: @escaping @Sendable () -> PageDocument
    ) async throws(Problem) -> Document {
        if let document = documents.known(key) { return document }
        let task = rendering.withLockedValue { rendering in
            if let task = rendering[key] { return task }
            // An unstructured task, because the first caller may be cancelled while others wait.
            let task = Task {
                defer { self.rendering.withLockedValue { $0[key] = nil } }
                return try await pool.run {
                    self.documents.value(for: key, cost: \.size) { Document(render()) }
                }
            }
            rendering[key] = task
            return task
        }
        do { return try await task.value } catch { throw .crowdedAnswers }
    }
}
