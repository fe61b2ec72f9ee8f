/// Where something that is audited came from.
package struct AuditOrigin: Hashable, Sendable {
    /// The address that asked; nil where there is none.
    package let address: String?
    /// The id of the request, which the server's log has too.
    package let request: String?

    /// From nowhere: what the server does by itself.
    package static let none = AuditOrigin(address: nil)

    package init(address: String?, request: String? = nil) {
        self.address = address
        self.request = request
    }
}
