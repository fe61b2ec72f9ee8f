/// What an upload is doing; the names are those of ``FileUploadState``'s cases.
public enum FileUploadStep: String, Codable, Sendable, Hashable {
    /// The bytes are arriving.
    case receiving
    /// They are being made smaller.
    case compressing
    /// The destination is being asked to take them.
    case openingSession
    /// It is taking them.
    case uploading
    /// It is giving them their name.
    case closingSession
}
