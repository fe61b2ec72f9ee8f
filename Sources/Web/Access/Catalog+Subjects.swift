import Access
import Boards

extension Catalog {
    /// What rules can be about: each operation and each store.
    var subjects: [Subject] {
        entries.map { Subject(.operation($0.id), tags: $0.tags) } + stores.map { Subject(.store($0.id), tags: $0.tags) }
    }
}
