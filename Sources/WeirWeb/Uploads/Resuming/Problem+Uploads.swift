import HTTPTypes
import WeirOperations

extension Problem {
    static let unknownUpload = notFound(.unknownUpload)

    static let uploadOver = Problem(
        "upload-over", .gone, "Upload over",
        .uploadOver, closes: true)

    static let uploadBusy = Problem(
        "upload-busy", HTTPResponse.Status(code: 423, reasonPhrase: "Locked"), "Upload busy",
        .uploadBusy, headers: [.retryAfter: "1"], closes: true)

    static let uploadNotStored = Problem(
        "upload-not-stored", HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"), "Not stored",
        .uploadNotStored,
        closes: true)

    static func checksumMismatch(offset: Int64) -> Problem {
        Problem(
            "checksum-mismatch", HTTPResponse.Status(code: 460, reasonPhrase: "Checksum Mismatch"), "Checksum mismatch",
            "The bytes that arrived are not those of Upload-Checksum, and none of them is kept. Send them again.",
            headers: [.uploadOffset: String(offset)])
    }

    static let tooManyUploads = Problem(
        "limit-reached", .tooManyRequests, "Limit reached",
        .tooManyUploads,
        headers: [.retryAfter: "60"], closes: true)

    static let noFileTaken = Problem(
        "no-file", .conflict, "No file", .noFileTaken, closes: true)

    static let uploadTooLong = Problem(
        "too-large", .contentTooLarge, "Too large",
        .uploadTooLong, closes: true)

    static let runJoined = Problem(
        "busy", .conflict, "Busy", .runJoined,
        closes: true)

    /// Why a request may not write.
    init(_ refusal: ResumableFile.Refusal) {
        switch refusal {
        case .elsewhere(let offset): self = .uploadElsewhere(offset)
        case .busy: self = .uploadBusy
        case .gone: self = .uploadOver
        case .unwritten: self = .uploadNotStored
        }
    }

    static func uploadElsewhere(_ offset: Int64) -> Problem {
        Problem(
            "upload-offset", .conflict, "Other offset",
            "\(offset) bytes of this upload have arrived. Continue from there: ask for Upload-Offset with HEAD.",
            headers: [.uploadOffset: String(offset)], closes: true)
    }

    static let protocolVersion = Problem(
        "protocol-version", .preconditionFailed, "Other version",
        "Uploads are continued by version 1.0.0 of the tus protocol. Send “Tus-Resumable: 1.0.0”.",
        headers: [.tusVersion: "1.0.0"], closes: true)

    static func malformedUpload(_ field: String, _ detail: String) -> Problem {
        Problem(
            "malformed-header", .badRequest, "Malformed header", "\(field) \(detail)",
            errors: [.init(field: field, detail: detail)], closes: true)
    }
}

extension HTTPField.Name {
    // The fields of the tus protocol, version 1.0.
    static let tusResumable = known("Tus-Resumable")
    static let tusVersion = known("Tus-Version")
    static let tusExtension = known("Tus-Extension")
    static let tusMaxSize = known("Tus-Max-Size")
    static let tusChecksumAlgorithm = known("Tus-Checksum-Algorithm")
    static let uploadChecksum = known("Upload-Checksum")
    static let uploadOffset = known("Upload-Offset")
    static let uploadMetadata = known("Upload-Metadata")
    static let uploadDeferLength = known("Upload-Defer-Length")
    static let uploadExpires = known("Upload-Expires")
}
