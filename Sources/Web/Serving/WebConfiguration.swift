public import Foundation

/// What a dashboard is told about the place it stands in: paths, names and limits, each with a safe default.
public struct WebConfiguration: Sendable {
    /// Where the dashboard stands in its server's paths, as browsers see it: `/`, or a path such as `/ops`.
    public var mountPath = "/"
    /// Names under which browsers may reach this server, besides `localhost` and any IP address; a name may have a
    /// port, which then must match.
    ///
    /// `*` allows every name and gives up the protection against DNS rebinding.
    public var allowedHosts: [String] = []
    /// The request header in which a trusted proxy names who is asking; nil takes `X-Weir-Actor`.
    public var actorHeader: String?
    /// A folder whose files take the place of the bundled ones in `Public`, file by file.
    ///
    /// Read once, at the start.
    public var publicFolder: URL?
    /// The name under which a damaged journal was set aside when it was opened: every page says so.
    public var setAside: String?
    /// The version that the system page tells.
    public var version = "development"
    /// How many requests may be held at once; beyond, clients are told to come back after a while instead.
    public var maximumHolds = 20_000
    /// The most bytes of a form or a JSON body.
    public var maximumBodyBytes = 2 * 1_024 * 1_024
    /// The most bytes of an uploaded file; nil for no limit.
    public var maximumUploadBytes: Int64?
    /// The folder in which an uploaded file is kept while it is imported.
    public var spoolFolder = FileManager.default.temporaryDirectory
    /// Whether `GET hello?label=` greets, which the greeting operation asks by default.
    public var helloRoute = true

    /// Makes the default configuration; change what should be different.
    public init() {}
}
