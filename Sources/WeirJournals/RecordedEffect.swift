public import WeirStates

/// A one-time event in the browsers that show a store, recorded with its step.
///
/// Its JSON is an object with `kind`, the members of the kind, and `audience` if it is restricted:
/// `{"audience":["ana"],"kind":"toast","message":"Step 3 is done."}`.
public struct RecordedEffect: Sendable, Hashable {
    /// The kind of an effect.
    public enum Kind: Sendable, Hashable {
        /// Shows a message for a while.
        case toast(message: String)
        /// Navigates to a path below the dashboard's own, such as `/runs`.
        case navigation(path: String)
        /// Offers a file; its text is recorded, so keep it small.
        case download(filename: String, mediaType: String, text: String)
        /// An effect that only the store's own template or another client handles.
        case other(name: String, payload: JSONValue)
    }

    package let kind: Kind
    /// The names of the users it is for; nil for every viewer.
    package let audience: [String]?

    /// Creates an effect.
    public init(_ kind: Kind, audience: [String]? = nil) {
        self.kind = kind
        self.audience = audience
    }
}

extension RecordedEffect: RecordedForm {
    package var json: JSONValue {
        var members: [String: JSONValue]
        switch kind {
        case .toast(let message): members = ["kind": "toast", "message": .string(message)]
        case .navigation(let path): members = ["kind": "navigation", "path": .string(path)]
        case .download(let filename, let mediaType, let text):
            members = [
                "kind": "download", "filename": .string(filename), "mediaType": .string(mediaType),
                "text": .string(text),
            ]
        case .other(let name, let payload): members = ["kind": "other", "name": .string(name), "payload": payload]
        }
        members["audience"] = audience.map { .array($0.map(JSONValue.string)) }
        return .object(members)
    }

    init?(json: JSONValue) {
        let audience = json["audience"]?.array?.compactMap(\.string)
        guard let kind = Self.kind(in: json), json["audience"] == nil || audience != nil else { return nil }
        self.init(kind, audience: audience)
    }

    private static func kind(in json: JSONValue) -> Kind? {
        func text(_ name: String) -> String? { json[name]?.string }
        switch text("kind") {
        case "toast": return text("message").map(Kind.toast)
        case "navigation": return text("path").map(Kind.navigation)
        case "download":
            guard let filename = text("filename"), let mediaType = text("mediaType"), let content = text("text")
            else { return nil }
            return .download(filename: filename, mediaType: mediaType, text: content)
        case "other":
            guard let name = text("name"), let payload = json["payload"] else { return nil }
            return .other(name: name, payload: payload)
        default: return nil
        }
    }
}
