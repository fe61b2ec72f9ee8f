/// A part of the gallery: the states of one operation or store.
package enum GallerySection: Sendable, Hashable {
    /// The operation of that id.
    case operation(String)
    /// The store of that id.
    case store(String)

    /// The query of its address, with the question mark.
    package var query: String {
        switch self {
        case .operation(let id): "?" + URLText.query("operation", id)
        case .store(let id): "?" + URLText.query("store", id)
        }
    }
}
