public import Foundation
package import WeirBoards
public import WeirStates
package import WeirTelemetry

/// The settings of a dashboard: paths, names and limits, each with a safe default.
public struct WebConfiguration: Sendable {
    /// The path of the dashboard on its server, as browsers see it: `/`, or a path such as `/ops`.
    public var mountPath = "/"
    /// The sites that may embed widgets and badges; none by default.
    package var frameAncestors: [FrameAncestor] = []
    /// Host names under which browsers may reach this server, besides `localhost` and any IP address; a name with a port must
    /// match it.
    ///
    /// `*` allows every name and disables the protection against DNS rebinding.
    public var allowedHosts: [String] = []
    /// The request header in which a trusted proxy names the sender; nil for none.
    ///
    /// If set, no other source counts. The proxy must set it on every request and remove values from clients; a request
    /// without it may only read.
    public var actorHeader: String?
    /// Whether a program may name its actor in `X-Weir-Actor`, unverified; ignored if `actorHeader` is set.
    public var acceptsClaimedActors = false
    /// A folder whose files override the bundled ones in `Public`.
    ///
    /// Read once, at the start.
    public var publicFolder: URL?
    /// The version on the system page.
    public var version = "development"
    /// The maximum number of held requests; further clients are asked to retry later.
    public var maximumHolds = 20_000
    /// The maximum bytes of a form or a JSON body.
    public var maximumBodyBytes = 2 * 1_024 * 1_024
    /// The maximum memory of all arriving forms and JSON bodies, in bytes; the first 16 KiB of each are exempt, so that small
    /// bodies are always read.
    public var bodyMemory = 64 * 1_024 * 1_024
    /// The maximum memory of all responses being sent, in bytes; the first 64 KiB of each are exempt, so that small responses
    /// are always sent.
    public var answerMemory = 128 * 1_024 * 1_024
    /// The limits of a `DashboardServer`'s connections; other servers have their own.
    public var connections = ConnectionLimits()
    /// The maximum bytes of a state that is put into a store.
    public var maximumStateBytes = 256 * 1_024
    /// The number of states that one actor may put into stores per minute, including resets; all actors together may put four
    /// times as many.
    public var stateWritesPerMinute = 30
    /// The maximum bytes of an uploaded file; nil for no limit.
    public var maximumUploadBytes: Int64?
    /// The maximum bytes of an imported file of runs.
    public var maximumImportBytes: Int64 = 256_000_000
    /// The maximum bytes of a line of an imported file.
    public var maximumImportLine = ByteCount(clamping: 8 << 20)
    package var reports = ReportLimits()
    package var unfinishedUploads = UnfinishedUploadLimits()
    /// The maximum number of concurrent exports; further ones are refused.
    public var maximumExports = 8
    /// The folder for uploaded files during an import.
    public var spoolFolder = FileManager.default.temporaryDirectory
    /// The triggers and notifications of operations; nil for none.
    package var hooks: (any HookService)?
    /// Ends a quiet start, and with `true` discards what has waited; nil if the server is never quiet.
    package var endQuiet: (@Sendable (_ discarding: Bool) throws -> Void)?
    /// Returns the conditions of the server that hold; nil if none are observed.
    package var conditions: (@Sendable () -> [ServerCondition])?
    /// The backups of the server; nil for none.
    package var backups: (any BackupKeeper)?
    /// The number of requests to one trigger that may start runs per minute; all triggers together may start four times as
    /// many.
    var hookRequestsPerMinute = 60
    /// The metrics that `GET /metrics` answers with; nil for none.
    package var metrics: MetricsRegistry?
    /// The limit of the board's active runs, which the system page shows.
    package var maximumActiveRuns: Int?
    /// Samples of the last day, which the system page shows; nil for none.
    package var history: SystemHistory?
    /// The destinations of metrics and spans: by default the systems that the app has bootstrapped.
    package var telemetry = Telemetry.ofApp
    /// Whether `GET hello?label=` responds with a greeting; the greeting operation of `weir serve` uses it.
    package var helloRoute = false
    /// Whether a store's page shows named users who else has it open.
    package var showsViewers = true
    /// Whether assistants at `POST mcp` are offered the tools that change something.
    package var assistantsMayChange = false
    /// Whether users can create links to a run.
    package var offersLinks = false
    /// The certificate with which `DashboardServer` serves HTTP/2 and HTTP/1.1 over TLS; nil for unencrypted HTTP/1.1.
    package var certificate: ServerCertificate?

    /// Creates the default configuration.
    public init() {}
}

package struct UnfinishedUploadLimits: Sendable {
    /// The maximum number per principal.
    var count = 100
    /// The maximum total length of their files, in bytes.
    package var bytes: Int64 = 50_000_000_000
    /// How long an upload is kept after its last byte, in milliseconds.
    package var age: Int64 = 3 * 86_400_000
    /// How long a run waits without a sender, in milliseconds.
    var silence: Int64 = 60_000
}

/// An invalid configuration of a dashboard.
public struct WebConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The error and how to correct it.
    public let description: String

    static let certificate = WebConfigurationError(
        description:
            "The certificate and the key cannot be used. Give the chain and the key that belongs to it as PEM files.")

    static func actorHeader(_ name: String) -> WebConfigurationError {
        WebConfigurationError(
            description:
                "“\(name.prefix(100))” cannot be the name of a request header. Name the header in which your proxy says "
                + "who is asking, such as X-Remote-User.")
    }
}
