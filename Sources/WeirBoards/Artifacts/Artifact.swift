package import WeirJournals
import WeirStates

/// A file that a run keeps, as listed in the payload of its last state.
package struct Artifact: Codable, Sendable, Hashable {
    /// The path below the folder where the program ran, unique within the run: `dist/app.tar.gz`.
    package let name: String
    package let bytes: Int64
    /// The name of the server that keeps the file, if several share the journal.
    package let server: String?

    package init(name: String, bytes: Int64, server: String? = nil) {
        self.name = name
        self.bytes = bytes
        self.server = server
    }

    /// The last component of the name.
    package var filename: String { name.split(separator: "/").last.map(String.init) ?? name }
}

extension Artifact {
    /// The member of a state's payload that lists the files.
    static let member = "artifacts"

    /// The files that a payload lists; none if the payload is malformed, because a reporter can send any.
    static func list(in payload: JSONValue) -> [Artifact] {
        let elements = payload[member]?.array ?? []
        guard elements.count <= ArtifactStore.maximumCount else { return [] }
        let artifacts = elements.compactMap { element -> Artifact? in
            guard let name = element["name"]?.string, let bytes = element["bytes"]?.integer, bytes >= 0 else {
                return nil
            }
            return Artifact(name: name, bytes: bytes, server: element["server"]?.string.map { String($0.prefix(200)) })
        }
        return artifacts.count == elements.count ? artifacts : []
    }
}

extension RunRecord {
    /// The files that the run keeps, in order.
    package var artifacts: [Artifact] { Artifact.list(in: state.payload) }
}
