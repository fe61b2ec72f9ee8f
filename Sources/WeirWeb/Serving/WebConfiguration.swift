public import Foundation
package import WeirBoards
public import WeirStates

/// What a dashboard is told about the place it stands in: paths, names and limits, each with a safe default.
public struct WebConfiguration: Sendable {
    /// Where the dashboard stands in its server's paths, as browsers see it: `/`, or a path such as `/ops`.
    public var mountPath = "/"
    /// The sites that may show widgets and badges; none by default.
    package var frameAncestors: [FrameAncestor] = []
    /// Names under which browsers may reach this server, besides `localhost` and any IP address; a name may have a
    /// port, which then must match.
    ///
    /// `*` allows every name and gives up the protection against DNS rebinding.
    public var allowedHosts: [String] = []
    /// The request header in which a trusted proxy names who is asking; nil for none.
    ///
    /// With it nothing else says who asks. The proxy must set it on every request and let no client's own value through; a
    /// request without it only reads.
    public var actorHeader: String?
    /// Whether a program may say in `X-Weir-Actor` for whom it acts, which nobody verifies; without effect beside
    /// `actorHeader`.
    public var acceptsClaimedActors = false
    /// A folder whose files take the place of the bundled ones in `Public`, file by file.
    ///
    /// Read once, at the start.
    public var publicFolder: URL?
    /// The version that the system page tells.
    public var version = "development"
    /// How many requests may be held at once; beyond, clients are told to come back after a while instead.
    public var maximumHolds = 20_000
    /// The most bytes of a form or a JSON body.
    public var maximumBodyBytes = 2 * 1_024 * 1_024
    /// The most bytes that all bodies together may take of the memory while they arrive, forms and JSON; the first 16 KiB of
    /// each do not count, so that small ones are always read.
    public var bodyMemory = 64 * 1_024 * 1_024
    /// The most bytes that all answers together may take of the memory while their clients read them; the first 64 KiB of each
    /// do not count, so that small ones are always sent.
    public var answerMemory = 128 * 1_024 * 1_024
    /// What the connections of a `DashboardServer` may take; a server of one's own has its own limits.
    public var connections = ConnectionLimits()
    /// The maximum size of a state that is put into a store, in bytes.
    public var maximumStateBytes = 256 * 1_024
    /// How many states one actor may put into stores in a minute, resets included; all actors together may put four
    /// times as many.
    public var stateWritesPerMinute = 30
    /// The most bytes of an uploaded file; nil for no limit.
    public var maximumUploadBytes: Int64?
    /// The most bytes of a file of runs that is imported.
    public var maximumImportBytes: Int64 = 256_000_000
    /// The most bytes of one line of such a file.
    public var maximumImportLine = ByteCount(clamping: 8 << 20)
    /// How much a program that reports runs may send at once.
    package var reports = ReportLimits()
    /// How much is kept of uploads that can be continued.
    package var unfinishedUploads = UnfinishedUploadLimits()
    /// How many exports may be written at a time; further ones are refused.
    public var maximumExports = 8
    /// The folder in which an uploaded file is kept while it is imported.
    public var spoolFolder = FileManager.default.temporaryDirectory
    /// The triggers and notifications of operations; nil for none.
    package var hooks: (any HookService)?
    /// How many requests to one trigger may start runs in a minute; all triggers together may start four times as many.
    package var hookRequestsPerMinute = 60
    /// Whether `GET hello?label=` greets, which the greeting operation of `weir serve` asks by default.
    package var helloRoute = false
    /// Whether a store's page shows who else has it open, to people who are known by name.
    package var showsViewers = true
    /// Whether people are known who may make links to a run.
    package var offersLinks = false
    /// The certificate with which `DashboardServer` speaks HTTP/2 and HTTP/1.1 over TLS; nil for HTTP/1.1 in the clear.
    package var certificate: ServerCertificate?

    /// Makes the default configuration; change what should be different.
    public init() {}
}

/// How much may be kept of uploads that are not complete.
package struct UnfinishedUploadLimits: Sendable {
    /// How many one principal may have.
    package var count = 100
    /// How long their files may be together, in bytes.
    package var bytes: Int64 = 50_000_000_000
    /// For how many milliseconds they are kept after the last byte.
    package var age: Int64 = 3 * 86_400_000
    /// After how many milliseconds without a sender a run stops waiting.
    package var silence: Int64 = 60_000
}

/// A configuration that a dashboard cannot be made with.
public struct WebConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong and what to do, in a sentence or two.
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
