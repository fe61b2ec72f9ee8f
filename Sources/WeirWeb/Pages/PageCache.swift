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

/// The documents of live pages and of the gallery: each rendered once for all who are shown the same, however many ask at once.
final class PageCache: Sendable {
    /// All that a document is made of, so that equal keys have equal documents.
    struct Key: Hashable, Sendable {
        let audience: Audience
        let subject: Subject
        /// The request, without what is left open.
        let frame: PageFrame

        /// What the document shows.
        enum Subject: Hashable, Sendable {
            /// A live page at a cursor, after a number of rewrites without a change, with the output of a run's page.
            case live(LivePage, PageCursor, rewrites: Int, Output?)
            /// The gallery, or a part of it.
            case gallery(GallerySection?)
        }

        /// The last line of a run's page, and whether another may come.
        struct Output: Hashable, Sendable {
            let head: SequenceNumber
            let isClosed: Bool
        }
    }

    /// A document as it is sent, with places left open.
    struct Document: Sendable {
        private enum Piece: Sendable {
            case bytes(ByteBuffer, compressed: Gzip.Part?)
            case place(PageDocument.Place)
        }

        private let pieces: [Piece]
        /// How many bytes it takes of the memory.
        let size: Int
        /// Made of all that everybody gets.
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

        /// What the document is known by: the same for two requests whose documents differ in the server's time alone.
        ///
        /// Weak for that reason. Equal for equal documents only, whoever asks, so that it leads nobody to what they may
        /// not see.
        func tag(for frame: PageFrame) -> EntityTag {
            var names = SHA256()
            for place in PageDocument.Place.allCases where place != .clock {
                names.update(data: Data((PageDocument.markup(of: place, in: frame) + "\n").utf8))
            }
            return EntityTag(weak: hash + Hex(names.finalize().prefix(8)).text)
        }

        /// The document for one request.
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

        /// The same, compressed: what everybody gets only once, and what belongs to the request as it is.
        ///
        /// Nil if it could not be compressed.
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

    /// The document, rendered if it is not there: by one, while the others wait for it.
    ///
    /// Throws ``Problem/crowdedAnswers`` if too many documents wait to be rendered.
    func document(
        for key: Key, on pool: WorkPool = .documents, render: @escaping @Sendable () -> PageDocument
    ) async throws(Problem) -> Document {
        if let document = documents.known(key) { return document }
        let task = rendering.withLockedValue { rendering in
            if let task = rendering[key] { return task }
            // A task of its own: the first to ask may leave while others wait.
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
