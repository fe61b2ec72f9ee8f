import Access
import Boards
import Journals
import NIOConcurrencyHelpers
import NIOCore
import Pages

/// The documents of live pages: each rendered once for everybody who is shown the same, however many ask at once.
final class PageCache: Sendable {
    /// All that a document is made of, so that equal keys have equal documents.
    struct Key: Hashable, Sendable {
        let audience: Audience
        let page: LivePage
        /// How far the page has come, and the addresses it goes on with.
        let cursor: PageCursor
        /// How often what is shown was rewritten without a change.
        let rewrites: Int
        /// The last line of a run's page, and whether another may come.
        let output: Output?
        /// The request, without what is left open.
        let frame: PageFrame

        struct Output: Hashable, Sendable {
            let head: SequenceNumber
            let isClosed: Bool
        }
    }

    /// A document as it is sent, with places left open.
    struct Document: Sendable {
        private enum Piece: Sendable {
            case bytes(ByteBuffer)
            case place(PageDocument.Place)
        }

        private let pieces: [Piece]
        /// How many bytes everybody gets.
        let size: Int

        init(_ document: PageDocument) {
            pieces = document.pieces.map { piece in
                switch piece {
                case .markup(let markup): .bytes(ByteBuffer(string: markup))
                case .place(let place): .place(place)
                }
            }
            size = pieces.reduce(0) { size, piece in
                if case .bytes(let bytes) = piece { size + bytes.readableBytes } else { size }
            }
        }

        /// The document for one request.
        func filled(for frame: PageFrame) -> ByteBuffer {
            var body = ByteBuffer()
            body.reserveCapacity(size + 256)
            for piece in pieces {
                switch piece {
                case .bytes(let bytes): body.writeImmutableBuffer(bytes)
                case .place(let place): body.writeString(PageDocument.markup(of: place, in: frame))
                }
            }
            return body
        }
    }

    private let documents = GenerationCache<Key, Document>(limit: 32 * 1_024 * 1_024)
    private let rendering = NIOLockedValueBox<[Key: Task<Document, Never>]>([:])

    /// The document, rendered if it is not there: by one, while the others wait for it.
    func document(for key: Key, render: @escaping @Sendable () -> PageDocument) async -> Document {
        if let document = documents.known(key) { return document }
        let task = rendering.withLockedValue { rendering in
            if let task = rendering[key] { return task }
            let task = Task {
                let document = self.documents.value(for: key, cost: \.size) { Document(render()) }
                self.rendering.withLockedValue { $0[key] = nil }
                return document
            }
            rendering[key] = task
            return task
        }
        return await task.value
    }
}
