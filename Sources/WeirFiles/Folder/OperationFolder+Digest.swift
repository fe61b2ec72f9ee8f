import Crypto
import WeirStates

extension OperationFolder {
    /// Names the text of an operation's file: 64 hexadecimal digits, its SHA-256.
    package func digest(of id: String) -> String? { texts[id].map { Self.digest([$0]) } }

    /// Names everything that pages show of the folder.
    ///
    /// - Parameter lists: The values of choices that programs list, which pages show, too.
    /// - Returns: 16 hexadecimal digits.
    package func edition(_ lists: ChoiceLists) -> String {
        let parts = definitions.flatMap { definition in
            [definition.id, texts[definition.id] ?? ""] + (outdated[definition.id] ?? []).map(\.description)
        }
        let files = templates.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
        return String(Self.digest(parts + files + [lists.edition].filter { !$0.isEmpty }).prefix(16))
    }

    private static func digest(_ texts: [String]) -> String {
        var hash = SHA256()
        for text in texts {
            hash.update(data: Array(text.utf8))
            hash.update(data: [0])
        }
        return Hex(hash.finalize()).text
    }
}
